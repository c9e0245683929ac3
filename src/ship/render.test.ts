import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Document, parseDocument, stringify } from "yaml";
import { renderChanged, renderConfig } from "./render.ts";

const path = process.env["PATH"];
let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "tsbuilder-render-"));
  for (const folder of ["base", "default"]) {
    mkdirSync(join(project, "config", folder), { recursive: true });
    writeFileSync(join(project, "config", folder, "kustomization.yaml"), "namespace: shop-system\n");
  }
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(project, { recursive: true, force: true });
});

/** Puts a program in the place of kubectl, with the folder of the kustomization in `$2`. */
function standIn(script: string): void {
  writeFileSync(join(project, "kubectl"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(project, "kubectl"), 0o755);
  process.env["PATH"] = `${project}${delimiter}${path}`;
}

test.skipIf(process.platform === "win32").each(["y", "on", "1.10", "1_000", "null", "0777", "v1"])(
  "the tag %s is text for a reader of YAML 1.1",
  async (tag) => {
    const base = await editedBase("namespace: shop-system\n", `shop:${tag}`);
    expect(base.getIn(["images", 0, "newTag"])).toBe(tag);
  },
);

test.skipIf(process.platform === "win32").each(["", "# Nothing yet.\n", "images:\n", "images:\n-\n"])(
  "an image is set in the kustomization %j",
  async (text) => {
    const base = await editedBase(text, "shop:v1");
    expect(base.toJS()).toMatchObject({
      images: expect.arrayContaining([{ name: "controller", newName: "shop", newTag: "v1" }]),
    });
  },
);

test
  .skipIf(process.platform === "win32")
  .each(["images: {}\n", "images: all\n", "- images\n", "images: [\n"])(
  "kustomize reports what is wrong with the kustomization %j",
  async (text) => {
    writeFileSync(join(project, "config/base/kustomization.yaml"), text);
    standIn('cat "$2/../base/kustomization.yaml" >&2; exit 1');
    await expect(renderConfig(project, "default", { image: "shop:v1" })).rejects.toMatchObject({
      message: `kubectl kustomize ${join(project, "config/default")} failed\n${text.trim()}`,
    });
  },
);

/** The base's kustomization as kustomize gets it, read as YAML 1.1. */
async function editedBase(text: string, image: string): Promise<Document> {
  writeFileSync(join(project, "config/base/kustomization.yaml"), text);
  writeFileSync(join(project, "deployment.yaml"), deployment("shop-controller-manager", { manager: image }));
  standIn(`cat "$2/../base/kustomization.yaml"; echo ---; cat "${project}/deployment.yaml"`);
  const rendered = await renderConfig(project, "default", { image });
  return parseDocument(rendered.split("---\n")[0]!, { version: "1.1" });
}

function deployment(name: string, images: Readonly<Record<string, string | undefined>>): string {
  const containers = Object.entries(images).map(([container, image]) => ({ name: container, image }));
  return stringify({ kind: "Deployment", metadata: { name }, spec: { template: { spec: { containers } } } });
}

const other = deployment("shop-frontend", { manager: "r.io/op:v2" });
const cronJob = stringify({
  kind: "CronJob",
  metadata: { name: "shop-report" },
  spec: {
    jobTemplate: {
      spec: { template: { spec: { initContainers: [{ name: "report", image: "r.io/mine:report" }] } } },
    },
  },
});
test.skipIf(process.platform === "win32").each([
  {
    manifest: [other],
    message: 'config/default has no Deployment "controller-manager", in which "r.io/op:v2" could be set',
  },
  {
    manifest: [deployment("a-controller-manager", { manager: "a" }), deployment("b-controller-manager", {})],
    message:
      'config/default has several Deployments "controller-manager": "a-controller-manager", "b-controller-manager"',
  },
  {
    manifest: [deployment("shop-controller-manager", { proxy: "proxy:v1", operator: "controller:v1" })],
    message: 'Deployment "shop-controller-manager" has no container "manager", but "proxy", "operator"',
  },
  {
    manifest: [deployment("shop-controller-manager", { manager: undefined })],
    message: 'container "manager" of Deployment "shop-controller-manager" has no image',
  },
  {
    manifest: [other, deployment("shop-controller-manager", { manager: "r.io/mine:v1" })],
    message: 'config/default deploys the image "r.io/mine:v1", and not "r.io/op:v2"',
  },
  {
    manifest: [deployment("shop-controller-manager", { manager: "r.io/mine:v1" }), cronJob],
    message:
      'container "report" has the image "r.io/mine:report", which would be replaced by "r.io/op:v2", too',
  },
])(
  "an image for another container than the operator's is refused: $message",
  async ({ manifest, message }) => {
    writeFileSync(join(project, "manifest.yaml"), manifest.join("---\n"));
    standIn(`cat "${project}/manifest.yaml"`);
    await expect(renderConfig(project, "default", { image: "r.io/op:v2" })).rejects.toMatchObject({
      code: "REFUSED",
      message,
    });
  },
);

test.skipIf(process.platform === "win32").each([
  { its: "only container", images: { operator: "r.io/op:v2" } },
  { its: 'container "manager"', images: { proxy: "r.io/mine:v1", manager: "r.io/op:v2" } },
])("the operator's image is that of its $its", async ({ images }) => {
  writeFileSync(join(project, "manifest.yaml"), deployment("controller-manager", images));
  standIn(`cat "${project}/manifest.yaml"`);
  const rendered = await renderConfig(project, "default", { image: "r.io/op:v2" });
  expect(rendered).toBe(deployment("controller-manager", images));
});

test.skipIf(process.platform === "win32")(
  "an error names the project's files, not those of a copy",
  async () => {
    standIn('echo "$2 is broken" >&2; exit 1');
    const folder = join(project, "config/default");
    await expect(renderConfig(project, "default", { image: "shop:v1" })).rejects.toMatchObject({
      code: "TOOL_FAILED",
      message: `kubectl kustomize ${folder} failed\n${folder} is broken`,
      hint: `for details, run: kubectl kustomize ${folder}`,
    });
    await expect(renderChanged(project, "default", [], {})).rejects.toMatchObject({
      message: `kubectl kustomize ${folder} failed\n${folder} is broken`,
      hint: `for details, run: kubectl kustomize ${folder}`,
    });
  },
);
