"""Counts the words of a made-up text of so many lines, on a driver and two executors of their own."""
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, concat_ws, count, explode, expr, split

spark = SparkSession.builder.appName("word count").getOrCreate()
rows = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
lines = spark.range(0, rows, numPartitions=8).select(
    concat_ws(" ", *[expr(f"concat('word', (id * {factor}) % 997)") for factor in (3, 7, 31)]).alias("line"))
words = lines.select(explode(split(col("line"), " ")).alias("word"))
counts = words.groupBy("word").agg(count("*").alias("times"))
found = counts.orderBy(col("times").desc(), col("word")).limit(3).collect()
print("words:", counts.agg(expr("sum(times)")).first()[0], "most frequent:", found[0]["word"])
spark.stop()
