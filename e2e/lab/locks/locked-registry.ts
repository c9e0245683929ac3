import { createServer } from "node:http";
import { integrityOf } from "../../../src/packaging/lock-file.ts";
import { type PackageManifest, type PackageSource, packReleases } from "../../../src/packaging/pack.ts";
import { readTarball } from "../../../src/packaging/tarball.ts";
import type { Packument } from "../../support/registries/registry-stand-in.ts";

export interface LockedRegistry {
  readonly url: string;
  stop(): void;
}

/**
 * Starts a registry on loopback that has our packages, as a release of a version would have them but without files, and of
 * each package of a lock file only the locked versions: whichever package manager asks it chooses those.
 */
export async function startLockedRegistry(
  sources: readonly PackageSource[],
  version: string,
  versions: ReadonlyMap<string, ReadonlySet<string>>,
  upstream: string,
): Promise<LockedRegistry> {
  const bare = sources.map((source) => ({ ...source, files: [] }));
  const own = new Map(packReleases(bare, version, () => ({})).map((tarball) => [tarball.name, tarball]));
  let url = "";
  const tarballOf = (name: string, one: string): string =>
    `${url}${name}/-/${name.split("/").at(-1)}-${one}.tgz`;

  function ofOurs(name: string): object {
    const { bytes } = own.get(name)!;
    const [packed] = readTarball(bytes);
    const manifest = JSON.parse(Buffer.from(packed!.content).toString("utf8")) as PackageManifest;
    const dist = { tarball: tarballOf(name, version), integrity: integrityOf(bytes) };
    return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }
  function ofOthers(packument: Packument): object {
    const { name } = packument;
    const chosen = versions.get(name);
    const entries = Object.entries(packument.versions)
      .filter(([one]) => chosen?.has(one) ?? true)
      .map(([one, manifest]) => {
        const dist = { ...manifest.dist, tarball: tarballOf(name, one) };
        return [one, { ...manifest, dist }];
      });
    const tags = chosen === undefined ? packument["dist-tags"] : { latest: [...chosen].at(-1)! };
    return { ...packument, "dist-tags": tags, versions: Object.fromEntries(entries) as object };
  }
  async function answer(path: string): Promise<string | Uint8Array> {
    const [name, file] = path.split("/-/") as [string, string | undefined];
    const ours = own.get(name);
    if (ours !== undefined) return file === undefined ? JSON.stringify(ofOurs(name)) : ours.bytes;
    const found = await fetch(new URL(file === undefined ? name.replace("/", "%2f") : path, upstream));
    if (!found.ok) throw new Error(`${found.status} for ${path}`);
    return file === undefined
      ? JSON.stringify(ofOthers((await found.json()) as Packument))
      : new Uint8Array(await found.arrayBuffer());
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname.slice(1));
    answer(path).then(
      (body) => response.setHeader("content-type", "application/json").end(body),
      (error: unknown) => response.writeHead(404).end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  return {
    url,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
