import type { IncomingHttpHeaders } from "node:http";
import { type ServedPackageType, servedPackageTypes } from "../../server/protocol/kinds/names.ts";
import { startCargoRegistry } from "./cargo-registry.ts";
import { startGoProxy } from "./go-proxy.ts";
import { startMavenRepository } from "./maven-repository.ts";
import { startNpmRegistry } from "./npm-registry.ts";
import { startPypiIndex } from "./pypi-index.ts";
import type { Intercept, RegistryServer } from "./registry-server.ts";

/** A registry on loopback with one package. */
export interface PackageRegistry extends AsyncDisposable {
  type: ServedPackageType;
  /** What `--registry` gets. */
  url: string;
  package: string;
  version: string;
  /** The file that has the text. */
  file: string;
  /** Redirects the download of the archive to the same registry under another name. */
  redirectArchive(): void;
  /** Every request, in order. */
  requests: readonly { path: string; headers: IncomingHttpHeaders }[];
}

type Start = (
  text: string,
) => Promise<Omit<PackageRegistry, "type" | "redirectArchive"> & Pick<RegistryServer, "intercept">>;

const starters: { readonly [Type in ServedPackageType]: Start } = {
  async npm(text) {
    const registry = await startNpmRegistry();
    registry.publish({ name: "shelf", version: "1.2.0", files: `//- a.js\n// ${text}\n` });
    return { ...registry, package: "shelf", version: "1.2.0", file: "a.js" };
  },
  async pypi(text) {
    const index = await startPypiIndex();
    index.publish({ name: "shelf", version: "1.2.0", files: { "shelf/a.py": `# ${text}\n` } });
    return { ...index, package: "shelf", version: "1.2.0", file: "shelf/a.py" };
  },
  async cargo(text) {
    const registry = await startCargoRegistry();
    registry.publish({ name: "shelf", version: "1.2.0", files: { "src/lib.rs": `// ${text}\n` } });
    const url = registry.index.replace("sparse+", "");
    return { ...registry, url, package: "shelf", version: "1.2.0", file: "src/lib.rs" };
  },
  async maven(text) {
    const repository = await startMavenRepository();
    repository.publish({ name: "org.demo:shelf", version: "1.2.0", files: { "demo/A.java": `// ${text}\n` } });
    return { ...repository, package: "org.demo:shelf", version: "1.2.0", file: "demo/A.java" };
  },
  async golang(text) {
    const proxy = await startGoProxy();
    const module = "example.org/shelf";
    const files = { "go.mod": `module ${module}\n`, "a.go": `package shelf\n\n// ${text}\n` };
    proxy.publish({ module, version: "v1.2.0", files });
    return { ...proxy, package: module, version: "v1.2.0", file: "a.go" };
  },
};

/** One of each ecosystem that a service offers, whose package has a line with the text. */
export interface PackageRegistries extends AsyncDisposable {
  all: readonly PackageRegistry[];
  of(type: ServedPackageType): PackageRegistry;
  /** As the settings of a service have them. */
  urls: Readonly<Record<string, string>>;
}

export async function startPackageRegistries(text: string): Promise<PackageRegistries> {
  const all = await Promise.all(
    servedPackageTypes.map(async (type): Promise<PackageRegistry> => {
      const { intercept, ...registry } = await starters[type](text);
      return { type, ...registry, redirectArchive: () => intercept(redirecting) };
    }),
  );
  return {
    all,
    of(type) {
      const found = all.find((one) => one.type === type);
      if (found === undefined) throw new Error(`no registry of ${type}`);
      return found;
    },
    urls: Object.fromEntries(all.map(({ type, url }) => [type, url])),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((registry) => registry[Symbol.asyncDispose]()));
    },
  };
}

const redirecting: Intercept = ({ url = "", headers: { host = "" } }, response) => {
  if (!host.startsWith("127.0.0.1") || !/\.(?:tgz|whl|jar|zip)$|\/download$/.test(url)) return false;
  response.writeHead(302, { location: `http://${host.replace("127.0.0.1", "localhost")}${url}` }).end();
  return true;
};
