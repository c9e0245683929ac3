import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// kind, minikube and k3d need a Docker engine, so programs with their names replace them and record their arguments.

const cli = join(repository, "bin/tsbuilder.js");
const work = mkdtempSync(join(tmpdir(), "tsbuilder-load-"));
const calls = join(work, "calls");
const shell: Shell = {
  folder: work,
  env: { PATH: `${join(work, "bin")}:${process.env["PATH"]}`, CALLS: calls },
};

beforeEach(() => {
  rmSync(calls, { force: true });
  mkdirSync(join(work, "bin"), { recursive: true });
  program("docker", '[ "$1" = save ] && echo image >"$3"; exit 0');
  for (const name of ["kind", "minikube", "k3d"]) program(name, "exit 0");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test.each([
  ["kind", "kind load image-archive ARCHIVE --name lab"],
  ["minikube", "minikube image load ARCHIVE --profile lab"],
  ["k3d", "k3d image import ARCHIVE --cluster lab"],
])("load hands %s an archive of the image, and removes it afterwards", async (cluster, call) => {
  const { stdout } = await run(
    shell,
    "node",
    cli,
    "load",
    "r.io:5000/op:v1",
    "--into",
    cluster,
    "--name",
    "lab",
  );
  expect(stdout).toBe(`loaded r.io:5000/op:v1 into ${cluster}\n`);
  const [info, save, load] = readFileSync(calls, "utf8").trim().split("\n");
  expect(info).toBe("docker info");
  const archive = /^docker save --output (\S+) r\.io:5000\/op:v1$/.exec(save ?? "")?.[1];
  expect(load?.replace(archive!, "ARCHIVE")).toBe(call);
  expect(existsSync(archive!)).toBe(false);
});

test("load shows the error of the cluster's tool, and removes the archive", async () => {
  program("kind", "echo 'ERROR: no nodes found for cluster \"kind\"' >&2; exit 1");
  const failed = await tryRun(shell, "node", cli, "load", "op:v1");
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain('no nodes found for cluster "kind"');
  const archive = /--output (\S+)/.exec(readFileSync(calls, "utf8"))?.[1];
  expect(existsSync(archive!)).toBe(false);
});

test("load doesn't call the cluster's tool for an image that the engine doesn't have", async () => {
  program("docker", "[ \"$1\" = save ] && { echo 'No such image: op:v1' >&2; exit 1; }; exit 0");
  const failed = await tryRun(shell, "node", cli, "load", "op:v1");
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain("No such image: op:v1");
  expect(readFileSync(calls, "utf8")).not.toContain("kind load");
});

test("load doesn't use a container tool whose engine doesn't respond", async () => {
  program("docker", "exit 1");
  const failed = await tryRun(shell, "node", cli, "load", "op:v1", "--tool", "docker");
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain('"docker" does not respond');
});

function program(name: string, script: string): void {
  const file = join(work, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >>"$CALLS"\n${script}\n`);
  chmodSync(file, 0o755);
}
