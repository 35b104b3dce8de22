"""Make the package of the VS Code extension: a zip with the folder editors/vscode and two files that describe it.

    python tools/vsix.py reknit.vsix       then: code --install-extension reknit.vsix

Neither vsce nor a network is needed: the extension has no dependencies.
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "editors" / "vscode"
WHEN: Final = (1980, 1, 1, 0, 0, 0)
"""The same contents give the same bytes."""

TYPES: Final = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def manifest(package: dict[str, object]) -> str:
    """What the package says of itself, from package.json."""
    engines = package["engines"]
    assert isinstance(engines, dict)
    name, publisher, version = (quoteattr(str(package[key])) for key in ("name", "publisher", "version"))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{escape(str(package["displayName"]))}</DisplayName>
    <Description xml:space="preserve">{escape(str(package["description"]))}</Description>
    <Categories>Programming Languages,Linters</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(str(engines["vscode"]))}/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def contents() -> dict[str, bytes]:
    """The files of the package by name."""
    files = {
        f"extension/{path.relative_to(FOLDER).as_posix()}": path.read_bytes()
        for path in sorted(FOLDER.rglob("*"))
        if path.is_file()
    }
    files["extension/LICENSE.txt"] = (ROOT / "LICENSE").read_bytes()
    described = manifest(json.loads((FOLDER / "package.json").read_text()))
    return {"extension.vsixmanifest": described.encode(), "[Content_Types].xml": TYPES.encode(), **files}


def write(out: Path) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in contents().items():
            package.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
