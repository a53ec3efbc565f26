import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "./folder.ts";

/** A server that speaks S3. */
export interface S3Server extends AsyncDisposable {
  endpoint: string;
  /** A bucket that exists. */
  bucket: string;
  keys: { accessKeyId: string; secretAccessKey: string };
}

const program = path.resolve(import.meta.dirname, "../../node_modules/s3rver/bin/s3rver.js");

/** Starts s3rver in a process of its own. It checks the id of a key, but no signature of version 4. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await temporaryFolder();
  const bucket = "team-bucket";
  const args = [program, "--directory", folder.path, "--address", "127.0.0.1", "--port", "0", "--no-vhost-buckets"];
  const child = spawn(process.execPath, [...args, "--configure-bucket", bucket], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  let port: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    port = /^S3rver listening on .*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) break;
  }
  if (port === undefined) throw new Error("s3rver did not start");
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    keys: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
