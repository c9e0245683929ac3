import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { scaffoldPacked, usePackedTsbuilder } from "../../support/registries/packed-tsbuilder.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";

const packed = usePackedTsbuilder();

test("an ejected project generates, tests, builds and packages the same without tsbuilder", async () => {
  const project = await scaffoldPacked(packed(), "shop");
  const file = (path: string): string => join(project.folder, path);
  const hasKubectl = (await tryRun(project, "kubectl", "version", "--client")).exitCode === 0;
  await run(project, "tsbuilder", "generate", "docs");
  const image = "registry.example.com/shop:v1";
  const build = async (): Promise<void> => {
    await run(project, "npm", "run", "build");
    if (hasKubectl) await run(project, "npm", "run", "build-installer", "--", "--image", image);
  };
  await build();
  cpSync(file("dist"), file("before/dist"), { recursive: true });
  for (const folder of ["config", "docs"])
    cpSync(file(folder), file(`before/${folder}`), { recursive: true });

  // A file of the user's with the same name stays, and so does a script that does more than call tsbuilder.
  writeFileSync(file("hack/operator.js"), "");
  const taken = await tryRun(project, "tsbuilder", "eject", "--skip-install");
  expect(taken.stderr).toContain('"hack/operator.js" already exists');
  expect(readFileSync(file("hack/operator.js"), "utf8")).toBe("");
  rmSync(file("hack/operator.js"));
  await run(project, "npm", "pkg", "set", "scripts.ci=tsbuilder manifests && tsbuilder doctor && npm test");

  writeFileSync(file(".github/workflows/test-chart.yml"), "      - run: npm run build-chart\n");

  const { stdout: ejected } = await run(project, "tsbuilder", "eject", "--skip-install");
  expect(ejected).toContain("need tsbuilder: dev, build-chart, bundle, bundle-build, bundle-push\n");
  expect(ejected).toMatch(/still call what is gone: package\.json, \S+test-chart\.yml, /u);
  expect(readFileSync(file("package.json"), "utf8")).toContain(
    '"ci": "node hack/operator.js manifests && tsbuilder doctor && npm test"',
  );
  rmSync(join(packed().work, "prefix"), { recursive: true });
  rmSync(file("node_modules"), { recursive: true });
  rmSync(file("dist"), { recursive: true });
  expect((await tryRun(project, "tsbuilder", "--version")).exitCode).not.toBe(0);
  await run(project, "npm", "install", "--package-lock-only");
  await run(project, "npm", "ci");
  expect(existsSync(file("node_modules/tsbuilder"))).toBe(false);

  for (const generated of ["config/crd/bases", "config/rbac/role.yaml"])
    rmSync(file(generated), { recursive: true });
  for (const name of readdirSync(file("docs/api"))) rmSync(file(`docs/api/${name}`));
  await run(project, "make", "generate");
  await build();
  for (const folder of ["config", "docs", "dist"])
    expect(await tryRun(project, "diff", "--recursive", `before/${folder}`, folder)).toMatchObject({
      stdout: "",
    });
  await run(project, "npm", "test");

  await tryPush(project);
  if (hasKubectl) await tryOnCluster(project);

  // The image is built from what .dockerignore lets through, and the Dockerfile copies.
  const allowed = readFileSync(file(".dockerignore"), "utf8").match(/(?<=^!).+$/gmu)!;
  const copied = readFileSync(file("Dockerfile"), "utf8")
    .match(/(?<=^COPY (?!--from)).+(?= \S+$)/gmu)!
    .join(" ");
  expect(allowed.filter((name) => !copied.split(/[ /]+/u).includes(name))).toEqual([]);
  for (const name of readdirSync(project.folder))
    if (!["before", ...allowed].includes(name)) rmSync(file(name), { recursive: true });
  await run(project, "npm", "ci", "--ignore-scripts");
  await run(project, "npm", "run", "build");
  expect(readFileSync(file("dist/main.js"))).toEqual(readFileSync(file("before/dist/main.js")));

  // A mistake in a type is reported, and nothing is written.
  const types = file("api/v1/mysql_types.ts");
  const text = readFileSync(types, "utf8");
  writeFileSync(types, text.replace(/(?<=interface MySQLSpec \{)/u, "\n  broken: number;"));
  const refused = await tryRun(project, "npm", "run", "manifests");
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toMatch(/mysql_types\.ts:\d+:\d+/u);
  expect(packed().registry.asked).toEqual([]);
});

/** `make docker-push` calls the container tool, which here is a program that prints what it got. */
async function tryPush(project: Shell): Promise<void> {
  const tool = join(project.folder, "before/podman");
  writeFileSync(tool, '#!/bin/sh\necho "podman $*"\n', { mode: 0o755 });
  const path = `${dirname(tool)}${delimiter}${project.env?.["PATH"] ?? process.env["PATH"]}`;
  const withTool = { ...project, env: { ...project.env, PATH: path } };
  const image = "registry.example.com/shop:v1";
  const pushed = await run(withTool, "make", "docker-push", `IMG=${image}`, "CONTAINER_TOOL=podman");
  expect(pushed.stdout).toContain(`podman push ${image}\n`);
  const help = await run(project, "node", "hack/operator.js", "--help");
  expect(help.stdout).toMatch(/^Usage: .*Commands: .*deploy.*Flags: .*--build-arg VALUE/su);
  const flags = ["--tool", "podman", "--", "--tls-verify=false"];
  const other = await run(withTool, "node", "hack/operator.js", "push", image, ...flags);
  expect(other.stdout).toBe(`podman push --tls-verify=false ${image}\n`);
}

/** Without `--force`, no object of a user is deleted from a cluster. */
async function tryOnCluster(project: Shell): Promise<void> {
  const cluster = await startTestCluster({ controllers: controllerNames });
  onTestFinished(() => cluster.stop());
  const kubeconfig = await cluster.kubeconfigFile();
  const withCluster = { ...project, env: { ...project.env, KUBECONFIG: kubeconfig } };
  const operator = async (...args: string[]): Promise<string> =>
    (await run(withCluster, "node", "hack/operator.js", ...args)).stdout;
  const image = ["--image", "registry.example.com/shop:v1"];
  const objects = async (kinds: string): Promise<string> => {
    const args = ["get", kinds, "--all-namespaces", "--output", "name"];
    return (await run(withCluster, "kubectl", ...args)).stdout.trim();
  };
  expect(await operator("deploy", ...image, "--dry-run")).toContain("would be created");
  expect(await objects("deployments")).toBe("");
  const deployed = await operator("deploy", ...image, "--wait", "--timeout", "60");
  expect(deployed).toMatch(/^Applying in context ".+" \(http.+\)\n[^]*\nThe operator is available\.\n$/u);
  await run(withCluster, "kubectl", "apply", "--kustomize", "config/samples");
  const kept = /keep CustomResourceDefinition mysqls\.apps\.example\.com: it still has 1 object/u;
  expect(await operator("uninstall")).toMatch(kept);
  expect(await operator("undeploy")).toMatch(kept);
  expect(await objects("mysqls,deployments")).toBe("mysql.apps.example.com/mysql-sample");
  expect(await operator("uninstall", "--force", "--dry-run")).toContain("would delete CustomResource");
  expect(await operator("uninstall", "--force")).toContain("mysqls.apps.example.com");
}
