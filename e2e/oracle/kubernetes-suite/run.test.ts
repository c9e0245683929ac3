import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import { kubectlReleases } from "../../support/kubectl-binaries.ts";

const runner = ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")];
const isSupported = process.platform === "linux" && process.arch === "x64";

test.skipIf(!isSupported)("a signal that ends the runner ends e2e.test, and removes its folder", async () => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-suite-signal-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const temporary = join(root, "tmp");
  mkdirSync(temporary);
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const cache = join(root, "tsbuilder");
  writeProgram(join(cache, "kubectl", kubectlReleases.at(-1)!, "helm"), "");
  // The stand-in for the suite runs until the end of the test closes the connection.
  writeProgram(
    join(cache, "e2e-test", kubernetesVersion, "e2e.test"),
    `require("node:net").connect(${port}, "127.0.0.1");`,
  );
  const child = spawn(process.execPath, [...runner, join(import.meta.dirname, "run.ts")], {
    env: { ...process.env, XDG_CACHE_HOME: root, TMPDIR: temporary },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  const [suite] = (await once(server, "connection")) as [Socket];
  const closed = once(suite.on("error", () => {}).resume(), "close");
  const during = foldersOf(temporary);

  child.kill("SIGTERM");
  const [exitCode] = (await exited) as [number | null];
  await closed;

  expect([exitCode, during.length, foldersOf(temporary)]).toEqual([128 + 15, 1, []]);
});

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!${process.execPath}\n${text}\n`);
  chmodSync(path, 0o755);
}

function foldersOf(path: string): string[] {
  return readdirSync(path).filter((name) => name.startsWith("kubernetes-suite-"));
}
