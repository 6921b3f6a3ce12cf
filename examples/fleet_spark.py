"""Checks every session below a folder on a Spark cluster whose machines can read it, and counts what is broken.

spark-submit fleet_spark.py FOLDER FOUND     (FOUND is a folder that is made, for the lines of all files)
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, explode
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

SUFFIXES = (".json", ".jsonl", ".jsonl.zst")
BATCH = 50
PROBLEM = StructType([StructField(name, StringType()) for name in ("rule", "severity", "impact")])
FILE = StructType(
    [
        StructField("path", StringType()),
        StructField("error", StringType()),
        StructField("errors", LongType()),
        StructField("problems", ArrayType(PROBLEM)),
    ]
)
"""The fields that are counted here; a line has more."""


def check(paths: Iterator[str]) -> Iterator[str]:
    """The lines of these files."""
    given = list(paths)
    command = [sys.executable, "-m", "toolpair", "check", "--jobs", "1", "--skip-unrecognised"]
    command += ["--output-format", "jsonl", "--"]
    for start in range(0, len(given), BATCH):
        batch = given[start : start + BATCH]
        ran = subprocess.run([*command, *batch], stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode not in (0, 1, 2):
            raise RuntimeError(f"toolpair ended with {ran.returncode}")
        yield from ran.stdout.splitlines()


def main(folder: str, found: str) -> None:
    spark = SparkSession.builder.appName("toolpair").getOrCreate()
    paths = [str(path) for path in sorted(Path(folder).rglob("*")) if path.name.endswith(SUFFIXES) and path.is_file()]
    parts = max(1, len(paths) // BATCH)
    spark.sparkContext.parallelize(paths, parts).mapPartitions(check).saveAsTextFile(found)
    lines = spark.read.schema(FILE).json(found)
    problems = lines.select(explode("problems").alias("problem")).select("problem.*")
    for row in problems.groupBy("severity", "rule").count().orderBy(col("count").desc(), "rule").collect():
        print(f"{row['count']:>9,}  {row['severity']:<8} {row['rule']}")
    print(f"{lines.count():,} files, {lines.where(col('error').isNotNull()).count():,} of them not readable")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
