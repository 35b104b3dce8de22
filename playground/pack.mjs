// reknit.zip: a folder of Python, compiled by the very Python that will import it.  node pack.mjs PYODIDE FOLDER OUT
// Entries are stored: a host's own gzip or brotli packs the whole better than many small files.

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, folder, out] = process.argv.slice(2).map((each) => resolve(each));
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: pyodide });

const files = (at) => readdirSync(at).flatMap((name) => (statSync(join(at, name)).isDirectory() ? files(join(at, name)) : [join(at, name)]));
for (const path of files(folder)) {
  const to = `/in/${relative(folder, path).replaceAll("\\", "/")}`;
  python.FS.mkdirTree(to.slice(0, to.lastIndexOf("/")));
  python.FS.writeFile(to, new Uint8Array(readFileSync(path)));
}
python.runPython(`
import pathlib, py_compile, zipfile

with zipfile.ZipFile("/out.zip", "w", zipfile.ZIP_STORED) as archive:
    for path in sorted(each for each in pathlib.Path("/in").rglob("*") if each.is_file()):
        name = str(path.relative_to("/in"))
        data = path.read_bytes()
        if path.suffix == ".py":
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH  # the archive's times say nothing
            py_compile.compile(str(path), cfile="/one.pyc", dfile=name, doraise=True, optimize=2, invalidation_mode=mode)
            name, data = name + "c", pathlib.Path("/one.pyc").read_bytes()
        archive.writestr(zipfile.ZipInfo(name), data)
`);
writeFileSync(out, python.FS.readFile("/out.zip"));
