"""Installs generators below one folder, without root, and runs them."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MDBOOK = "mdbook@0.5.4"
# Doxygen, Asciidoctor, Texinfo and DocBook, with the libraries that a small system lacks.
DEBIAN = """
doxygen libclang-cpp14 libclang1-14 libllvm14 libedit2 libbsd0 libmd0 libxapian30 libz3-4
ruby3.1 libruby3.1 ruby-asciidoctor libyaml-0-2 libgmp10 libffi8
texinfo libtext-unidecode-perl libxml-libxml-perl libxml-namespacesupport-perl libxml-sax-base-perl libxml-sax-perl
docbook-xsl xsltproc libxslt1.1 libxml2 libicu72
""".split()
JDK = ["openjdk-17-jdk-headless", "openjdk-17-jre-headless"]
CANNOT_INSTALL = 75


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def python(self):
        """A Python with Sphinx, MkDocs and their themes."""
        requirements = HERE / "requirements.txt"
        python = self.folder / "python/bin/python"

        def install():
            if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode == 0:
                run([sys.executable, "-m", "venv", "--clear", self.folder / "python"])
                pip = [python, "-m", "pip"]
            else:
                # Debian ships pip as a separate package; its wheel runs without being installed.
                run([sys.executable, "-m", "venv", "--clear", "--without-pip", self.folder / "python"])
                unpack(["python3-pip-whl"], self.folder / "pip")
                (wheel,) = (self.folder / "pip/usr/share/python-wheels").glob("pip-*.whl")
                pip = [python, f"{wheel}/pip"]
            run([*pip, "install", "--quiet", "--disable-pip-version-check", "-r", requirements])

        self.once("python", requirements.read_text(), install)
        return python

    def node(self):
        """The folder with node_modules: Docusaurus and VitePress."""
        folder = self.folder / "node"

        def install():
            folder.mkdir(parents=True, exist_ok=True)
            for file in (HERE / "node").iterdir():
                shutil.copy(file, folder)
            # Not `npm ci`, which insists on the optional packages of all platforms.
            run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder], cwd=folder)

        self.once("node", (HERE / "node/package-lock.json").read_text(), install)
        return folder

    def mdbook(self):
        def install():
            options = [
                "--quiet",
                "--locked",
                "--no-default-features",
                "--features",
                "search",
                "--root",
                self.folder / "mdbook",
            ]
            run(["cargo", "install", *options, "--target-dir", self.folder / "mdbook-build", MDBOOK])
            shutil.rmtree(self.folder / "mdbook-build", ignore_errors=True)

        self.once("mdbook", MDBOOK, install)
        return self.folder / "mdbook/bin/mdbook"

    def debian(self):
        """The folder into which Debian packages are unpacked."""
        folder = self.folder / "debian"
        self.once("debian", " ".join(DEBIAN), lambda: unpack(DEBIAN, folder))
        return folder

    def debian_environment(self):
        root = self.debian() / "usr"
        libraries = root / "lib" / f"{os.uname().machine}-linux-gnu"
        return {**os.environ, "LD_LIBRARY_PATH": f"{libraries}:{root}/lib/llvm-14/lib", "LC_ALL": "C.UTF-8"}

    def javadoc(self):
        found = shutil.which("javadoc")
        if found:
            return pathlib.Path(found)
        self.once("jdk", " ".join(JDK), lambda: unpack(JDK, self.folder / "jdk"))
        (javadoc,) = (self.folder / "jdk/usr/lib/jvm").glob("*/bin/javadoc")
        return javadoc

    def once(self, name, version, install):
        mark = self.folder / f"{name}.installed"
        if mark.is_file() and mark.read_text() == version:
            return
        if os.environ.get("BLUESNAKE_NO_INSTALL"):
            print(f"error: {name} for the documentation sites is not installed", file=sys.stderr)
            sys.exit(CANNOT_INSTALL)
        print(f"installing {name}", file=sys.stderr)
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            install()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"error: could not install {name}: {error}", file=sys.stderr)
            sys.exit(CANNOT_INSTALL)
        mark.write_text(version)


def unpack(packages, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as downloads:
        # The package lists may be missing on a fresh machine; without root they are kept next to the packages.
        options = []
        if (
            subprocess.run(["apt-get", "-qq", "download", *packages], cwd=downloads, capture_output=True).returncode
            != 0
        ):
            if os.getuid() != 0:
                options = ["-o", f"Dir::State::Lists={folder}/.lists", "-o", f"Dir::Cache={folder}/.cache"]
                (folder / ".lists/partial").mkdir(parents=True, exist_ok=True)
                (folder / ".cache/archives/partial").mkdir(parents=True, exist_ok=True)
            run(["apt-get", "-qq", *options, "update"])
            run(["apt-get", "-qq", *options, "download", *packages], cwd=downloads)
        for package in sorted(pathlib.Path(downloads).glob("*.deb")):
            run(["dpkg", "-x", package, folder])


def run(command, **options):
    """Runs a command; prints its output only if it fails."""
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode != 0:
        print(done.stdout[-4000:], file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, str(command[0]))
    return done.stdout
