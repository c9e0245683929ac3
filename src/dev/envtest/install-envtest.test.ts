import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { writeTarball } from "../../packaging/tarball.ts";
import { type EnvtestOptions, installEnvtest } from "./install-envtest.ts";

// A stand-in for the release index and its archives: binaries of a few bytes.

const platform = "linux-amd64";
const files = new Map<string, Uint8Array>();
let server: Server;
let base: string;
let folder: string;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const content = files.get(url!);
    response.writeHead(content ? 200 : 404).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const archives = ["1.34.1", "1.34.10", "1.33.0", "1.35.0-rc.1"].map((version) =>
    offer(version, ["kube-apiserver", "etcd", "kubectl"]),
  );
  const incomplete = offer("1.30.0", ["etcd"]);
  const tampered = offer("1.31.0", ["kube-apiserver", "etcd", "kubectl"]).replace(
    /hash: .{8}/,
    "hash: 00000000",
  );
  files.set("/index.yaml", Buffer.from(`releases:\n${[...archives, incomplete, tampered].join("")}`));
  files.set("/login.html", Buffer.from("<html>Please sign in</html>"));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "envtest-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Serves an archive of binaries that print their version; returns its entry for the index. */
function offer(version: string, programs: readonly string[]): string {
  const name = `envtest-v${version}-${platform}.tar.gz`;
  const bytes = writeTarball(
    programs.map((path) => ({ path: `envtest/${path}`, content: Buffer.from(`${path} ${version}`) })),
  );
  files.set(`/${name}`, bytes);
  const hash = createHash("sha512").update(bytes).digest("hex");
  return `  v${version}:\n    ${name}:\n      hash: ${hash}\n      selfLink: ./${name}\n`;
}

const install = (version: string | undefined, more: Partial<EnvtestOptions> = {}) =>
  installEnvtest({ version, index: `${base}/index.yaml`, folder, isOffline: false, platform, ...more });

test("installEnvtest() installs the newest patch of a version, ready to run", async () => {
  const { version, assets, isNew } = await install("1.34");
  expect({ version, isNew }).toEqual({ version: "1.34.10", isNew: true });
  expect(readdirSync(folder)).toEqual(["1.34.10-linux-amd64"]);
  expect(readFileSync(join(assets, "kube-apiserver"), "utf8")).toBe("kube-apiserver 1.34.10");
  expect(statSync(join(assets, "etcd")).mode & 0o111).toBe(0o111);
});

test("installEnvtest() installs the latest release without a version, and a pre-release only by name", async () => {
  expect(await install(undefined)).toMatchObject({ version: "1.34.10" });
  expect(await install("v1.35.0-rc.1")).toMatchObject({ version: "1.35.0-rc.1" });
});

test("installEnvtest() does not contact the server for an installed version", async () => {
  const { assets } = await install("1.33.0");
  const nowhere = { index: "http://127.0.0.1:1/index.yaml" };
  expect(await install("1.33.0", nowhere)).toEqual({ version: "1.33.0", assets, isNew: false });
  expect(await install("1.33", { ...nowhere, isOffline: true })).toMatchObject({ assets });
  await expect(install("1.34", { isOffline: true })).rejects.toMatchObject({
    message: `version 1.34 is not installed in ${folder}`,
    hint: expect.stringContaining("installed: 1.33.0") as string,
  });
});

test.each([
  ["1.31.0", "does not match the checksum in the index", "nothing was installed"],
  ["1.30.0", "does not contain kube-apiserver", "another version"],
  ["1.99", "the index has no version 1.99 for linux-amd64", "the latest version in it is 1.34.10"],
])("installEnvtest() refuses %s and leaves nothing behind", async (version, message, hint) => {
  await expect(install(version)).rejects.toMatchObject({
    message: expect.stringContaining(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test("installEnvtest() hints at the flag if the index cannot be read", async () => {
  const hint = expect.stringContaining("--index URL") as string;
  const failures = [
    ["http://127.0.0.1:1/index.yaml", "could not download"],
    [`${base}/absent.yaml`, "the server responded with 404"],
    [`${base}/login.html`, "is not an index of envtest releases"],
  ] as const;
  for (const [index, message] of failures) {
    await expect(install("1.34", { index })).rejects.toMatchObject({
      message: expect.stringContaining(message) as string,
      hint,
    });
  }
});
