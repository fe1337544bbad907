"""Writing evidence so that nobody ever sees half of it: a temporary name first, then a rename."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import stat
import tempfile
import zipfile

import numpy as np


def belongs(name):
    """Files beside the arrays that evidence is made of."""
    return (name in ("evidence.toml", "accuracy.json", "requests.csv") or name.startswith("text/")
            or "/generated/" in name)


def check_name(name):
    """Refuses a path that would leave its folder, or that some system reads otherwise than it is written."""
    parts = str(name).split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in str(name) or not str(name).isprintable():
        raise ValueError(f"the name {name!r} is no path below a folder: give names like original/0/forget, without "
                         "'..', backslashes, control characters and empty parts")


def _below(folder, name):
    """The place of a file below a folder. Links in the folder are not followed: they may lead out of it."""
    check_name(name)
    *folders, _ = name.split("/")
    place = folder
    for part in folders:
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise ValueError(f"{place} is a link, which may lead out of {folder}: put the folder itself there")
    return os.path.join(folder, *name.split("/"))


def npy_bytes(array):
    """The bytes of a .npy file."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def write_folder(path, arrays, files, force):
    """One .npy per array. An existing folder is replaced only with force."""
    path = os.path.abspath(path)
    if os.path.exists(path) and not force and not (os.path.isdir(path) and not os.listdir(path)):
        raise ValueError(f"{path} is there already: give another folder, or force=True")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = tempfile.mkdtemp(prefix=os.path.basename(path) + ".partial-",
                                 dir=os.path.dirname(path))
    try:
        for name, content in [(key + ".npy", npy_bytes(array)) for key, array in arrays.items()] + [
                (name, text.encode("utf-8")) for name, text in files.items()]:
            target = _below(temporary, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(content)
        os.chmod(temporary, _mode(path, 0o777))
        if os.path.isdir(path):
            old = tempfile.mkdtemp(prefix=os.path.basename(path) + ".old-",
                                   dir=os.path.dirname(path))
            os.rename(path, os.path.join(old, "evidence"))
            os.rename(temporary, path)
            shutil.rmtree(old)
        else:
            os.rename(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def add_to_folder(path, arrays, files):
    """New files of a folder that is there, each whole or not at all; what models said comes last."""
    shared = ("labels/", "ids/", "subjects/", "subclasses/", "digests/")
    for key in sorted(arrays, key=lambda key: (not key.startswith(shared), key)):
        with _temporary_file(_below(path, key + ".npy"), True) as stream:
            stream.write(npy_bytes(arrays[key]))
    for name, text in files.items():
        with _temporary_file(_below(path, name), True) as stream:
            stream.write(text.encode("utf-8"))


def write_text(path, text, force):
    """One file of text; its path."""
    with _temporary_file(path, force) as stream:
        stream.write(text.encode("utf-8"))
    return path


def write_npz(path, arrays, files, force):
    """An uncompressed archive, which can be mapped."""
    for name in (*arrays, *files):
        check_name(name)
    with _temporary_file(path, force) as stream, zipfile.ZipFile(
            stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for key, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(key + ".npy"), npy_bytes(array))
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)


_SAFETENSORS = {"float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8", "int16": "I16",
                "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32",
                "uint64": "U64", "bool": "BOOL"}


def write_safetensors(path, arrays, files, force):
    """Numbers only: the format holds no texts."""
    if files:
        raise ValueError(f"{next(iter(files))} cannot be kept in a .safetensors file: save a folder "
                         "or a .npz")
    header, parts, offset = {}, [], 0
    for key, array in arrays.items():
        check_name(key)
        if array.dtype.name not in _SAFETENSORS:
            raise ValueError(f"{key} has type {array.dtype}, which .safetensors cannot hold: save a "
                             "folder or a .npz")
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        header[key] = {"dtype": _SAFETENSORS[array.dtype.name], "shape": list(array.shape),
                       "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with _temporary_file(path, force) as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for part in parts:
            stream.write(part)


@contextlib.contextmanager
def _temporary_file(path, force):
    """A file that gets its name when all of it is written."""
    if os.path.exists(path) and not force:
        raise ValueError(f"{path} is there already: give another file, or force=True")
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".partial-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode(path, 0o666))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode(path, usual):
    """Who may read and write: as before where something is replaced."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    return usual & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
