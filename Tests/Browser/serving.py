"""`runner serve` on scripts of a test."""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from chromium import Failure

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def runner():
    """The runner that RUNNER names, or the newer of those that were built."""
    built = [p for p in (os.environ.get("RUNNER"), f"{ROOT}/.build/release/runner", f"{ROOT}/.build/debug/runner") if p and os.path.exists(p)]
    if not built:
        raise Failure("no runner is built: swift build --product runner")
    return built[0] if os.environ.get("RUNNER") else max(built, key=os.path.getmtime)


class Server:
    """A server; its scripts are in a folder of its own if they are given, by name."""

    def __init__(self, feature, scripts=None, options=()):
        self.folder = None
        if scripts:
            self.folder = tempfile.mkdtemp(prefix="scripts-")
            for name, source in scripts.items():
                self.save(name, source)
        # A port of its own before the first start, so that the same one is used after a restart.
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.feature, self.options = feature, options
        self.start()

    @property
    def root(self):
        return self.folder or os.path.join(ROOT, "scripts")

    def save(self, name, source):
        # In one step, as editors do.
        with open(os.path.join(self.folder, name + ".new"), "w") as file:
            file.write(source)
        os.rename(os.path.join(self.folder, name + ".new"), os.path.join(self.folder, name))

    def start(self):
        # In a debug build on a busy machine, an action on 10,000 rows takes longer than the usual second.
        command = [
            runner(), "serve", "--root", self.root, "--port", str(self.port), "--max-time", "30", *self.options, self.feature]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        line, end = b"", time.monotonic() + 30
        while b"\n" not in line:
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            data = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not data:
                raise Failure(f"{' '.join(command)} did not start: {line}")
            line += data
        self.address = re.search(rb"http://\S+", line).group().decode()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        if self.folder:
            shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
