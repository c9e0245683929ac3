import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClusterServiceVersion } from "../../../src/olm/bundle/csv.ts";
import { everythingBelow } from "../../../src/scaffold/tree.ts";
import { parseManifest } from "../../../src/ship/manifest.ts";
import { run as call } from "../../golden/golden-projects.ts";
import { clearBuildah, prepareBuildah } from "../../support/buildah.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { startOciRegistry } from "../../support/registries/oci-registry.ts";
import { run } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { talk } from "../../support/dev/terminal.ts";

// `tsbuilder bundle` and its flags change a project as documented, and build images of bundles.

const programs = findPrograms("36");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: tsbuilder bundle: ${missing}`);
const path = process.env["PATH"];
const images = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-images-"));
const buildah = await prepareBuildah(images);

let root: string;
beforeEach(() => {
  if ("kubectl" in programs) process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
  root = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
  cpSync(join(repository, "e2e/golden/mysql-operator"), root, { recursive: true });
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(root, { recursive: true, force: true });
});
afterAll(async () => {
  if ("env" in buildah) await clearBuildah(images, buildah.env);
  rmSync(images, { recursive: true, force: true });
});

const base = "config/manifests/bases/mysql-operator.clusterserviceversion.yaml";
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const bundle = (...flags: string[]): Promise<string> =>
  call(["bundle", "--image", "example.com/mysql:v1", ...flags], root);

function csv(folder = "bundle", name = "mysql-operator"): ClusterServiceVersion {
  const [found] = parseManifest(read(`${folder}/manifests/${name}.clusterserviceversion.yaml`));
  return found as ClusterServiceVersion;
}

describe.skipIf(missing !== undefined)("tsbuilder bundle", () => {
  test.each(["--stdout", "--dry-run", "--diff"])("%s writes nothing", async (flag) => {
    const files = () => everythingBelow(root).list("");
    const before = files();
    const printed = await bundle(flag);

    expect(printed).toContain(flag === "--dry-run" ? base : "kind: ClusterServiceVersion");
    expect(files()).toEqual(before);
  });

  test("its manifests on standard output are those that it writes", async () => {
    await bundle();
    const written = everythingBelow(root)
      .list("bundle/manifests")
      .flatMap((file) => parseManifest(read(file)));
    const printed = parseManifest(await bundle("--stdout"));

    expect(printed).toEqual(expect.arrayContaining(written));
    expect(printed).toHaveLength(written.length);
  });

  test("flags are written into the base and its bundle, and stay there", async () => {
    writeFileSync(join(root, "icon.svg"), "<svg/>");
    await bundle(
      "--display-name",
      "MySQL",
      "--maintainers",
      "Ann Example:ann@example.com",
      "--icon",
      "icon.svg",
    );
    const edited = read(base).replace("displayName: MySQL", "displayName: MySQL # ours");
    writeFileSync(join(root, base), edited);
    await bundle("--version", "2.0.0", "--replaces", "mysql-operator.v1.0.0", "--keywords", "sql,database");

    expect(read(base)).toContain("displayName: MySQL # ours\n");
    expect(csv()).toMatchObject({
      metadata: { name: "mysql-operator.v2.0.0" },
      spec: {
        displayName: "MySQL",
        keywords: ["sql", "database"],
        maintainers: [{ name: "Ann Example", email: "ann@example.com" }],
        icon: [{ base64data: Buffer.from("<svg/>").toString("base64"), mediatype: "image/svg+xml" }],
        replaces: "mysql-operator.v1.0.0",
        version: "2.0.0",
      },
    });
  });

  test("in a terminal it asks before the first bundle, and not again", async () => {
    const answers = [
      ["Display name", "Our MySQL\r"],
      ["What does it do?", "Databases.\r"],
      ["Who publishes it?", "\r"],
      ["Keywords", "sql, database\r"],
      ["Maintainers", "\r"],
    ] as const;
    const first = await talk(root, ["bundle"], answers);
    const second = await talk(root, ["bundle"], []);

    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(csv().spec).toMatchObject({ displayName: "Our MySQL", keywords: ["sql", "database"] });
    expect(second.text).toContain("a placeholder: name the operator's image with --image");
  });

  test("the digests of images come from their registries, and all images are listed", async () => {
    const digest = `sha256:${"1".repeat(64)}`;
    const server = createServer((_, response) => response.setHeader("docker-content-digest", digest).end());
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await call(["bundle", "--image", `${host}/mysql:v1`, "--use-image-digests"], root);
    server.close();

    expect(csv().spec.relatedImages).toEqual([{ name: "manager", image: `${host}/mysql@${digest}` }]);
    const [manager] = csv().spec.install!.spec.deployments[0]!.spec.template.spec!.containers;
    expect(manager!.image).toBe(`${host}/mysql@${digest}`);
  });

  test("patches in config/manifests hold for the bundle alone", async () => {
    await bundle();
    const patch = "- op: replace\n      path: /spec/replicas\n      value: 3";
    appendFileSync(
      join(root, "config/manifests/kustomization.yaml"),
      `patches:\n- target: { kind: Deployment }\n  patch: |-\n    ${patch.replaceAll("\n      ", "\n      ")}\n`,
    );
    await bundle();

    expect(csv().spec.install!.spec.deployments[0]!.spec.replicas).toBe(3);
  });

  test.each([
    [["--output-dir", "../x"], "INVALID_ARGUMENT"],
    [["--version", "v1.0.0"], "INVALID_ARGUMENT"],
    [["--package", "My_SQL"], "INVALID_NAME"],
    [["--maintainers", "Ann"], "INVALID_ARGUMENT"],
    [["--icon", "none.svg"], "NOT_FOUND"],
    [["--icon", "PROJECT"], "INVALID_ARGUMENT"],
    [["--provider-url", "https://example.com"], "INVALID_ARGUMENT"],
    [["--default-channel", "stable"], "INVALID_ARGUMENT"],
    [["--kustomize-dir", "x"], "INVALID_ARGUMENT"],
  ])("refuses %s", async (flags, code) => {
    await expect(bundle(...flags)).rejects.toMatchObject({ code });
    expect(everythingBelow(root).list("bundle")).toEqual([]);
  });
});

describe.skipIf(missing !== undefined || "missing" in buildah)("the image of a bundle", () => {
  test("has its files and labels, and can be pushed", async () => {
    const registry = await startOciRegistry();
    const image = `${registry.host}/team/mysql-bundle:v1`;
    const shell = { folder: root, env: "env" in buildah ? buildah.env : {} };
    const cli = join(repository, "bin/tsbuilder.js");
    await bundle("--output-dir", "dist/olm", "--channels", "stable");
    await run(
      shell,
      "node",
      cli,
      "bundle",
      "build",
      "--image",
      image,
      "--tool",
      "buildah",
      "--output-dir",
      "dist/olm",
    );
    const { stdout } = await run(shell, "buildah", "inspect", "--type", "image", image);
    const pushed = ["bundle", "push", image, "--tool", "buildah", "--digest-file", join(root, "digest")];
    await run(shell, "node", cli, ...pushed, "--", "--tls-verify=false");
    await registry.stop();

    const { OCIv1: built } = JSON.parse(stdout) as { OCIv1: { config: { Labels: Record<string, string> } } };
    expect(built.config.Labels).toMatchObject({
      "operators.operatorframework.io.bundle.channels.v1": "stable",
      "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    });
    expect(read("digest")).toBe(`${registry.manifests.get("team/mysql-bundle:v1")}\n`);
  });

  test("is not built of a bundle that is not there", async () => {
    await expect(call(["bundle", "build", "--image", "x"], root)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(everythingBelow(root).has("bundle.Dockerfile")).toBe(false);
  });
});
