"""The questions of docs/tables.md, asked of the folder `tables` as it says there; the answers as JSON.

questions.py duckdb|spark DOCUMENT [DIALECT]"""
import json
import re
import sys

engine, document = sys.argv[1:3]
text = open(document).read()
blocks = re.findall(r"^```(python|sql)\n(.*?)^```$", text, re.M | re.S)
[setup] = [block for kind, block in blocks if kind == "python" and f"{engine}.sql(question)" in block]
# All but the last line, which shows the answer.
lines = setup.splitlines()
names = {}
if engine == "spark":
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").getOrCreate()
    names["spark"] = spark
exec("\n".join(lines[:-1]), names)
answers = []
for question in [block for kind, block in blocks if kind == "sql"]:
    if engine == "duckdb":
        rows = names["duckdb"].sql(question).fetchall()
    else:
        rows = [list(row) for row in spark.sql(question).collect()]
    answers.append([[cell if isinstance(cell, (int, str)) else float(cell) for cell in row] for row in rows])
print(json.dumps(answers))
