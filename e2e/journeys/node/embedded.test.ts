import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installServers } from "../../oracle/mysql/install-servers.ts";
import { writeServerImage } from "../../oracle/mysql/server-image.ts";
import { writeCurlImage } from "../../oracle/real/node/curl-image.ts";
import { prepareEngines, writeBaseImages } from "../../oracle/real/node/engines.ts";
import { machineState } from "../../oracle/real/node/machine-state.ts";
import { prepareNode } from "../../oracle/real/node/node-programs.ts";
import { clearBuildah, prepareBuildah } from "../../support/buildah.ts";
import { eventually } from "../../support/eventually.ts";
import { baseImages } from "../../support/registries/base-images.ts";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Users with a container tool add nodes to the embedded cluster, and run two things on them: the scaffolded end-to-end tests, and the demo of a database.
// Only images that the internet has are loaded by hand. Links, mounts and rules of the machine are the same before and after.

const programs = prepareNode("embedded");
const missing = "missing" in programs ? programs.missing : prepareEngines();
if (missing !== undefined) console.log(`left out: what users do with nodes: ${missing}`);
const cli = join(repository, "bin/tsbuilder.js");
let shell: Shell;
let nodes: readonly string[];

beforeAll(async () => {
  if (missing !== undefined || "missing" in programs) return;
  nodes = ["--node-programs", programs.node];
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-users-"));
  const buildah = await prepareBuildah(folder);
  if ("missing" in buildah) throw new Error(buildah.missing);
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  // Podman builds, also where Docker runs.
  shell = { folder, env: { ...buildah.env, TMPDIR: temporary, DOCKER_HOST: `unix://${folder}/none` } };
  writeBaseImages(folder);
  await run(shell, "podman", "load", "--input", "base.tar");
  await run(shell, "podman", "tag", ...baseImages);
});

afterAll(async () => {
  if (shell === undefined) return;
  await clearBuildah(shell.folder, shell.env);
  rmSync(shell.folder, { recursive: true });
});

test.skipIf(missing !== undefined)(
  "tsbuilder test --e2e runs a scaffolded project's tests, unchanged",
  async () => {
    const project: Shell = { ...shell, folder: join(shell.folder, "shop-operator") };
    mkdirSync(project.folder);
    await run(project, process.execPath, cli, "init", "--domain", "example.com");
    const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
    await run(project, process.execPath, cli, "create", "api", ...api);
    const curl = join(shell.folder, "curl.tar");
    writeCurlImage(curl);
    const before = machineState();
    const temporary = join(shell.folder, "tmp");
    const loading = async (): Promise<void> => {
      // It is written when the nodes are ready.
      const kubeconfig = await eventually(() => {
        const paths = readdirSync(temporary, { recursive: true, encoding: "utf8" });
        const path = paths.find((each) => /^tsbuilder-e2e-[^/]*\/kubeconfig$/u.test(each));
        expect(path).toBeDefined();
        return join(temporary, path!);
      });
      await run(project, process.execPath, cli, "load", curl, "--kubeconfig", kubeconfig);
    };
    const words = ["test", "--e2e", ...nodes, "--", "--reporter=verbose"];
    const [{ stdout }] = await Promise.all([run(project, process.execPath, cli, ...words), loading()]);
    const plain = stripVTControlCharacters(stdout);
    for (const name of [
      "the operator becomes available",
      "the operator's pod satisfies the restricted Pod Security Standard",
      "metrics are served to who may read them",
      "the samples become ready",
    ])
      expect(plain).toMatch(new RegExp(`✓ .*${name}`, "u"));
    expect(plain).toMatch(/Tests +4 passed \(4\)/u);
    expect(machineState()).toEqual(before);
  },
);

test.skipIf(missing !== undefined)(
  "the demo's rows are there after its database's pod was killed",
  async ({ skip }) => {
    const servers = installServers();
    if (typeof servers === "string") return skip(servers);
    const archive = join(shell.folder, "mysql.tar");
    writeServerImage(servers, "docker.io/library/mysql:9.7", archive);
    const before = machineState();
    const demo = [
      "--conditions=@tsbuilder/source",
      "--import",
      join(repository, "node_modules/tsx/dist/loader.mjs"),
      join(repository, "e2e/lab/demo/demo.ts"),
    ];
    const words = ["--nodes", "1", ...nodes, "--load", archive];
    const { stdout } = await run(shell, process.execPath, ...demo, ...words);
    expect(stdout.match(/^ {3}100 rows in mysql-sample-0$/gmu)).toHaveLength(2);
    expect(machineState()).toEqual(before);
  },
);
