"""A server on this machine that does what it is told, one request after another."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """Serves one content; `ways` are how the first requests are answered, the rest are well."""

    def __init__(self, content):
        self.content = content
        self.ways = []
        self.requests = 0
        self.half_sent = threading.Event()
        self.closing = threading.Event()
        self.url = ""

    def answer(self, handler):
        self.requests += 1
        getattr(self, self.ways.pop(0) if self.ways else "well")(handler)

    def well(self, handler):
        self._begin(handler)
        handler.wfile.write(self.content)

    def truncated(self, handler):
        self._begin(handler)
        handler.wfile.write(self.content[: len(self.content) // 2])

    def truncated_without_length(self, handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(self.content[: len(self.content) // 2])

    def without_length(self, handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(self.content)

    def wrong(self, handler):
        self._begin(handler)
        handler.wfile.write(self.content[::-1])

    def missing(self, handler):
        handler.send_error(404)

    def broken(self, handler):
        handler.send_error(503)

    def hanging(self, handler):
        self.truncated(handler)
        handler.wfile.flush()
        self.half_sent.set()
        self.closing.wait(60)

    def slow(self, handler):
        self._begin(handler)
        for start in range(0, len(self.content), 1 + len(self.content) // 10):
            handler.wfile.write(self.content[start : start + 1 + len(self.content) // 10])
            handler.wfile.flush()
            self.closing.wait(0.05)

    def _begin(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(self.content)))
        handler.end_headers()


@contextlib.contextmanager
def serving(content):
    """A running server of the content."""
    server = Server(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                server.answer(self)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        server.url = f"http://127.0.0.1:{listening.server_port}/file"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.closing.set()
        listening.shutdown()
        thread.join()
