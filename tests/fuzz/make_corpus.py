#!/usr/bin/env python3
"""Makes the seed corpora: small valid files and the faults that the tests know."""
import io
import pathlib
import shutil
import struct
import zipfile

here = pathlib.Path(__file__).resolve().parent
fixtures = here.parent / "evidence" / "fixtures"


def put(target, name, content):
    folder = here / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def npy(header, data=b"", major=1):
    length = struct.pack("<H" if major == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([major, 0]) + length + header.encode() + data


shutil.rmtree(here / "corpus", ignore_errors=True)

for name in ["f2_little_c", "f4_big_c", "f8_little_fortran", "i1_little_c", "i8_big_fortran",
             "u2_little_c", "u8_big_c", "b1_little_fortran", "cube_fortran", "scalar", "empty",
             "unicode_little", "unicode_big", "bytes", "bytes_matrix_fortran", "latin1", "object",
             "structured", "datetime", "version2", "version3"]:
    put("npy", name, (fixtures / f"{name}.npy").read_bytes())
for index, shape in enumerate(["()", "(2,)", "(2L,)", "(1, 2)", "(-1,)", "(0, 5)", "(2)",
                               "(99999999999999999999,)", "(4294967296, 4294967296)"]):
    put("npy", f"shape{index}",
        npy("{'descr':'<f4','fortran_order':False,'shape':%s}" % shape, b"12345678"))
for code in ["S1", "U1", "S0", "U268435456", "c8", "V4", "m8[s]", "f16"]:
    put("npy", f"descr_{code.replace('[', '_').replace(']', '')}",
        npy("{'descr':'|%s','fortran_order':True,'shape':(2,)}" % code, b"12345678"))

for name in ["stored", "deflated", "zip64", "zip64_directory", "with_files", "bzip2"]:
    put("npz", name, (fixtures / f"{name}.npz").read_bytes())
stored = (fixtures / "stored.npz").read_bytes()
put("npz", "truncated", stored[: len(stored) // 2])
put("npz", "empty_archive", b"PK\5\6" + bytes(18))
put("npz", "damaged", stored[:200] + b"\x55" + stored[201:])
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w") as archive:
    archive.writestr(zipfile.ZipInfo("a\nb.npy"), b"no npy")
put("npz", "name_with_line_break", buffer.getvalue())
put("npz", "encrypted", stored[:6] + b"\x01" + stored[7:])

put("safetensors", "all", (fixtures / "all.safetensors").read_bytes())
for name, header, data in [
        ("none", "{}", b""),
        ("metadata", '{"__metadata__":{"a":"b"}}', b""),
        ("one", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', b"12345678"),
        ("scalar", '{"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}', b"12"),
        ("empty", '{"a":{"dtype":"I64","shape":[0,3],"data_offsets":[0,0]}}', b""),
        ("two", '{"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]},'
                '"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}', b"1234"),
        ("overlap", '{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},'
                    '"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}', b"123"),
        ("negative", '{"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}}', b"12"),
        ("big", '{"a":{"dtype":"U8","shape":[4294967296,4294967297],"data_offsets":[0,2]}}', b"12"),
        ("twice", '{"a":1,"a":2}', b""), ("nested", "[" * 50, b""), ("broken", '{"a"', b"")]:
    put("safetensors", name, struct.pack("<Q", len(header)) + header.encode() + data)
put("safetensors", "huge_header", struct.pack("<Q", 1 << 60) + b"{}")

for name, text in {
        "integers": "1\n2\n-3\n", "header": "label\n1\n2\n", "doubles": "0.5\n1e-3\nnan\ninf\n",
        "matrix": "a,b\n1,2\n3,4.5\n", "crlf": "1\r\n2\r\n", "bom": "\ufeff1\n", "ragged": "1,2\n3\n",
        "word": "1\ncat\n", "blank": "1\n\n2\n", "gap": "1,,2\n", "plus": "+1\n +2 \n",
        "big": "9007199254740993\n-9223372036854775808\n9223372036854775808\n",
        "long": "1" * 400 + "\n", "only_header": "label\n", "space": " \n",
        "quoted": '"a,""b""",c\r\n"x\ny", 2\n', "open_quote": '1\n"2\n'}.items():
    put("csv", name, text)

for name, text in {
        "all": 'kind = "logits"\nclasses = 10\nnotes = "x"\n[pairing]\n"unlearned/a/0" = "original/0"\n'
               '[removed_fraction]\n25 = 0.25\n[seconds]\nfinetune = 12.5\nretrain = 300\n',
        "kind": 'kind = "probabilities"', "unknown": "knd = 1", "type": "classes = 2.5",
        "dotted": 'pairing."a" = "b"', "inline": "seconds = { a = 1, b = 2.0 }",
        "array": "notes = [1, [2, {a = 3}]]", "arrays": "[[seconds]]\na = 1\n",
        "date": "seconds.a = 1979-05-27T07:32:00Z", "multi": 'notes = """\na\\\n  b"""',
        "literal": "notes = '''a'''", "numbers": "[seconds]\na=0x1f\nb=1_000\nc=inf\nd=-nan\n",
        "escape": 'notes = "\\u00e9\\U0001F600"', "twice": "classes = 1\nclasses = 2",
        "comment": "# only a comment", "no_key": "[[# x\n", "line_break": '"a\\nb" = 1',
        "broken": "kind = ",
        "unreachable": 'notes = "a" \ufe0f\n'}.items():
    put("toml", name, text)
