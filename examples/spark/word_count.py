"""Counts the words of a made-up text, on a driver and two executors of their own."""
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, concat_ws, count, explode, expr, split

spark = SparkSession.builder.appName("word count").getOrCreate()
lines = spark.range(0, 3_000_000, numPartitions=8).select(
    concat_ws(" ", *[expr(f"concat('word', (id * {factor}) % 997)") for factor in (3, 7, 31)]).alias("line"))
words = lines.select(explode(split(col("line"), " ")).alias("word"))
counts = words.groupBy("word").agg(count("*").alias("times"))
found = counts.orderBy(col("times").desc(), col("word")).limit(3).collect()
print("words:", counts.agg(expr("sum(times)")).first()[0], "most frequent:", found[0]["word"])
spark.stop()
