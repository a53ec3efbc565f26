import { readFile } from "node:fs/promises";

/**
 * Mends undici 7 while it is bundled: it ends the process where a server closes the connection while a body is read
 * slowly (https://github.com/nodejs/undici/issues/5360). Version 8, which mends it, needs Node 22. What the connection
 * still holds is read first.
 */
export const withoutPausedEnd = {
  name: "without-paused-end",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const start = "  finish () {\n";
      const parts = text.split(start);
      if (parts.length !== 2) throw new Error("undici's client-h1.js has changed: see whether it still needs this");
      const drained = `
        if (this.paused && !this.socket.destroyed) {
          this.resume()
          // A body without a length stays paused until its end is said.
          if (this.paused) this.llhttp.llhttp_resume(this.ptr)
          this.paused = false
        }
        if (this.paused || this.ptr == null) return null
`;
      return { contents: parts.join(start + drained) };
    });
  },
};
