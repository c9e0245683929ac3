import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clearBuildah, prepareBuildah } from "../../support/buildah.ts";
import { type OciRegistry, startOciRegistry } from "../../support/registries/oci-registry.ts";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Pushes of images: buildah pushes to a stand-in registry on loopback, over plain HTTP.

const cli = join(repository, "bin/tsbuilder.js");
const work = mkdtempSync(join(tmpdir(), "tsbuilder-push-"));
const buildah = await prepareBuildah(work);
const missing = "missing" in buildah ? buildah.missing : undefined;
if (missing !== undefined) console.log(`left out: pushing images: ${missing}`);
const digestFile = join(work, "digest");
let registry: OciRegistry;
let shell: Shell;
let image: string;

beforeAll(async () => {
  registry = await startOciRegistry();
  image = `${registry.host}/team/mysql-operator:v1`;
  const conf = join(work, "registries.conf");
  writeFileSync(conf, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
  shell = { folder: join(work, "project"), env: { ...("missing" in buildah ? {} : buildah.env) } };
  mkdirSync(shell.folder);
  writeFileSync(join(shell.folder, "Dockerfile"), "FROM scratch\nCOPY PROJECT /\n");
  writeFileSync(
    join(shell.folder, "PROJECT"),
    readFileSync(join(repository, "e2e/golden/mysql-operator/PROJECT")),
  );
  if (missing === undefined) await run(shell, "buildah", "build", "--tag", image, ".");
});

afterEach(() => {
  registry.refuse(undefined);
  rmSync(digestFile, { force: true });
});

afterAll(async () => {
  await registry.stop();
  if ("env" in buildah) await clearBuildah(work, buildah.env);
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)("push records the digest of the image in the registry", async () => {
  const pushed = await push(image, "--digest-file", digestFile);
  expect(pushed).toMatchObject({ exitCode: 0, stdout: `${image}\n` });
  expect(pushed.stderr).toContain("Writing manifest to image destination");
  expect(readFileSync(digestFile, "utf8")).toBe(`${registry.manifests.get("team/mysql-operator:v1")}\n`);
});

test.skipIf(missing !== undefined)(
  "build --push does, too, if the tool's own configuration allows the registry",
  async () => {
    const there = {
      ...shell,
      env: { ...shell.env, CONTAINERS_REGISTRIES_CONF: join(work, "registries.conf") },
    };
    const built = `${registry.host}/team/built:v1`;
    const words = ["build", "--tool", "buildah", "--image", built, "--push", "--digest-file", digestFile];
    const { stdout } = await run(there, "node", cli, ...words);
    expect(stdout).toBe(`${built}\n`);
    expect(readFileSync(digestFile, "utf8")).toBe(`${registry.manifests.get("team/built:v1")}\n`);
  },
);

test.skipIf(missing !== undefined)(
  "a digest that can't be recorded is reported, as the image was already pushed",
  async () => {
    const pushed = await push(image, "--digest-file", join(work, "no/such/folder"));
    expect(pushed.exitCode).toBe(1);
    expect(pushed.stderr).toContain(`pushed as ${registry.manifests.get("team/mysql-operator:v1")}`);
    expect(pushed.stderr).toContain("hint: use a writable file with --digest-file");
  },
);

test.skipIf(missing !== undefined).each([
  [
    401,
    "unauthorized: authentication required",
    "hint: log in to the registry first, for example: buildah login",
  ],
  [403, "403 (Forbidden)", "hint: log in with push access"],
  [500, "500 (Internal Server Error)", "hint: the registry has an internal error"],
])("a registry's error %i is quoted, with a hint", async (status, words, hint) => {
  registry.refuse(status);
  const refused = await push(image, "--digest-file", digestFile);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toContain(words);
  expect(refused.stderr).toContain(hint);
  expect(existsSync(digestFile)).toBe(false);
});

test.skipIf(missing !== undefined)(
  "a registry without TLS, no registry and no image are reported with a hint",
  async () => {
    const plain = await tryRun(shell, "node", cli, "push", image, "--tool", "buildah");
    expect(plain).toMatchObject({ exitCode: 1, stdout: "" });
    expect(plain.stderr).toContain(
      "hint: the registry uses plain HTTP: tsbuilder push IMAGE -- --tls-verify=false",
    );

    const nobody = "127.0.0.1:1/team/mysql-operator:v1";
    await run(shell, "buildah", "tag", image, nobody);
    const unreachable = await push(nobody);
    expect(unreachable).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unreachable.stderr).toContain("connection refused");
    expect(unreachable.stderr).toContain("hint: check that the registry is reachable");

    const unknown = await push(`${registry.host}/team/never-built:v1`);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unknown.stderr).toContain("hint: build it first, with the same name");
  },
);

test("without a container tool, or without its engine, each command reports why", async () => {
  const bin = join(work, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const bare = { ...shell, env: { ...shell.env, PATH: bin } };
  const none = await tryRun(bare, "node", cli, "build", "--image", image);
  expect(none).toMatchObject({ exitCode: 1, stdout: "" });
  expect(none.stderr).toContain("error: no container tool responds\ndocker: not on the PATH\n");
  expect(none.stderr).toContain("hint: install one of them and start its daemon; buildah needs none");

  const says =
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
  writeFileSync(join(bin, "docker"), `#!/bin/sh\necho "Client: there"\necho "${says}" >&2\nexit 1\n`);
  chmodSync(join(bin, "docker"), 0o755);
  for (const words of [
    ["build", "--image", image],
    ["push", image, "--tool", "docker"],
    ["load", image],
  ]) {
    const client = await tryRun(
      { ...bare, env: { ...bare.env, PATH: `${bin}:/nowhere` } },
      "node",
      cli,
      ...words,
    );
    expect(client).toMatchObject({ exitCode: 1, stdout: "" });
    expect(client.stderr).toContain(`docker: ${says}`);
    expect(client.stderr).toContain("hint: ");
  }
});

function push(name: string, ...words: string[]): Promise<CommandResult> {
  return tryRun(shell, "node", cli, "push", name, "--tool", "buildah", ...words, "--", "--tls-verify=false");
}
