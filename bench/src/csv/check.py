"""Reads an export back and compares it with what was put in. Modes: plain (a CSV), sheet (an XLSX whose texts are
compared), formulas (a flat ODS whose formulas are counted: DDE links too are formulas there). Prints one JSON object."""

import csv
import json
import re
import sys
import xml.etree.ElementTree as xml
import zipfile

DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")
COLUMNS = {"endpoint": "endpoint", "provider": "providers", "key_id": "key_id", "key_name": "key_name"}
ODS_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
XLSX = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TOLD_MAX = 10


def ods_formulas(path):
    cells = xml.parse(path).getroot().iter(ODS_TABLE + "table-cell")
    return sum(cell.get(ODS_TABLE + "formula") is not None for cell in cells)


def xlsx_text(node):
    """A text in its runs; what XML cannot hold is written as _xHHHH_."""
    text = "".join(part.text or "" for part in node.iter(XLSX + "t"))
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), text)


def column_of(reference):
    number = 0
    for letter in re.match("[A-Z]+", reference)[0]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def xlsx_sheet(path):
    """The rows as texts, and the number of formulas."""
    with zipfile.ZipFile(path) as file:
        shared = [xlsx_text(text) for text in xml.parse(file.open("xl/sharedStrings.xml")).getroot()]
        root = xml.parse(file.open("xl/worksheets/sheet1.xml")).getroot()
    rows = []
    for row in root.iter(XLSX + "row"):
        cells = {}
        for cell in row:
            value = cell.findtext(XLSX + "v", "")
            cells[column_of(cell.get("r"))] = shared[int(value)] if cell.get("t") == "s" else value
        rows.append([cells.get(column, "") for column in range(max(cells, default=-1) + 1)])
    return rows, sum(1 for _ in root.iter(XLSX + "f"))


def one_line_end(text):
    """A sheet knows only one kind of line end inside a cell."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def compare(rows, expected, same):
    header, *rows = rows
    place = {name: header.index(name) for name in ["id", *COLUMNS.values()]}
    report = {"rows_wrong": abs(len(rows) - len(expected)), "formulas": 0, "changed": 0}
    told = 0
    for row, wanted in zip(rows, expected):
        if row[place["id"]] != "req_" + wanted["id"].replace("-", ""):
            report["rows_wrong"] += 1
            continue
        for field, column in COLUMNS.items():
            # An empty text at the end of a row is no cell in a sheet.
            cell = row[place[column]] if place[column] < len(row) else ""
            value = "key_" + wanted[field] if field == "key_id" else wanted[field]
            report["formulas"] += cell.startswith(DANGEROUS)
            changed = not same(cell[1:] if cell.startswith("'") else cell, value)
            report["changed"] += changed
            if changed and told < TOLD_MAX:
                told += 1
                print(f"  {column}: {cell[:80]!r} is not {value[:80]!r}", file=sys.stderr)
    return report


def main(mode, path, expected):
    if mode == "formulas":
        return {"rows_wrong": 0, "formulas": ods_formulas(path), "changed": 0}
    with open(expected, encoding="utf-8") as file:
        expected = json.load(file)
    if mode == "plain":
        csv.field_size_limit(sys.maxsize)
        with open(path, encoding="utf-8", newline="") as file:
            return compare(list(csv.reader(file)), expected, lambda cell, value: cell == value)
    rows, formulas = xlsx_sheet(path)
    report = compare(rows, expected, lambda cell, value: one_line_end(cell) == one_line_end(value))
    report["formulas"] += formulas
    return report


print(json.dumps(main(*sys.argv[1:])))
