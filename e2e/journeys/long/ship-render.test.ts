import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ManifestObject, parseManifest } from "../../../src/ship/manifest.ts";
import { renderConfig } from "../../../src/ship/render.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { repository } from "../../support/source-imports.ts";

// The golden projects together have every feature of a deployment; kubectl's own kustomize renders them.

const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: rendering with kubectl kustomize: ${missing}`);
const goldens = join(repository, "e2e/golden");
const names = readdirSync(goldens, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const path = process.env["PATH"];
const digest = `sha256:${"0".repeat(64)}`;

beforeAll(() => {
  if ("kubectl" in programs) process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
});

afterAll(() => {
  process.env["PATH"] = path;
});

test.skipIf(missing !== undefined).each(names)(
  "another namespace replaces the old one everywhere in %s",
  async (name) => {
    const project = join(goldens, name);
    const before = await renderConfig(project, "default");
    const after = await renderConfig(project, "default", { namespace: "elsewhere" });
    expect(before).toContain(`${name}-system`);
    expect(after).not.toContain(`${name}-system`);
    // Only the namespace differs: kustomize sorts objects by name, so each is compared with its counterpart.
    const renamed = before.replaceAll(`${name}-system`, "elsewhere");
    expect(sorted(parseManifest(after))).toEqual(sorted(parseManifest(renamed)));
  },
);

test.skipIf(missing !== undefined)(
  "another namespace is in DNS names, CA annotations, webhook services and subjects",
  async () => {
    const objects = [
      ...(await rendered("team-operator", { namespace: "elsewhere" })),
      ...(await rendered("store-operator", { namespace: "elsewhere" })),
    ];
    const dnsNames = valuesOf(objects, "Certificate", /dnsNames/);
    expect(dnsNames).toContain("team-operator-webhook-service.elsewhere.svc");
    expect(dnsNames).toContain("team-operator-controller-manager-metrics-service.elsewhere.svc");
    for (const kind of [
      "MutatingWebhookConfiguration",
      "ValidatingWebhookConfiguration",
      "CustomResourceDefinition",
    ]) {
      const annotations = valuesOf(objects, kind, /inject-ca-from$/);
      expect(annotations.length).toBeGreaterThan(0);
      expect(annotations).toEqual(annotations.map((value) => value.replace(/^.*\//, "elsewhere/")));
      const services = valuesOf(objects, kind, /service\.namespace$/);
      expect(services.length).toBeGreaterThan(0);
      expect(new Set(services)).toEqual(new Set(["elsewhere"]));
    }
    for (const kind of ["RoleBinding", "ClusterRoleBinding"]) {
      expect(new Set(valuesOf(objects, kind, /subjects\.\d+\.namespace$/))).toEqual(new Set(["elsewhere"]));
    }
  },
);

test.skipIf(missing !== undefined).each([
  ["r.io/op:v1", "r.io/op:v1"],
  ["localhost:5000/team/op:v1", "localhost:5000/team/op:v1"],
  ["localhost:5000/op", "localhost:5000/op:latest"],
  ["op", "op:latest"],
  [`r.io/op@${digest}`, `r.io/op@${digest}`],
  [`r.io:5000/op:v1@${digest}`, `r.io:5000/op@${digest}`],
])("the image %s becomes the operator's %s", async (image, written) => {
  expect(valuesOf(await rendered("mysql-operator", { image }), "Deployment", /\.image$/)).toEqual([written]);
});

test.skipIf(missing !== undefined)(
  "rendering leaves the project and the temporary folder as they were",
  async () => {
    const base = join(goldens, "team-operator/config/base/kustomization.yaml");
    const text = readFileSync(base, "utf8");
    const parent = mkdtempSync(join(tmpdir(), "tsbuilder-render-"));
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = parent;
    try {
      await rendered("team-operator", { image: "r.io/op:v1", namespace: "elsewhere" });
      expect(readFileSync(base, "utf8")).toBe(text);
      expect(readdirSync(parent)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      rmSync(parent, { recursive: true, force: true });
    }
  },
);

test("rendering a folder without a kustomization is reported", async () => {
  await expect(renderConfig(tmpdir(), "nowhere")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

async function rendered(
  name: string,
  overrides: Parameters<typeof renderConfig>[2],
): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(join(goldens, name), "default", overrides));
}

/** The strings at the given paths, joined by dots, in objects of a kind. */
function valuesOf(objects: readonly ManifestObject[], kind: string, path: RegExp): string[] {
  return objects
    .filter((object) => object.kind === kind)
    .flatMap((object) => leaves(object, ""))
    .filter(([at]) => path.test(at))
    .map(([, value]) => value);
}

function leaves(value: unknown, at: string): [string, string][] {
  if (typeof value === "string") return [[at, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, at === "" ? key : `${at}.${key}`));
}

function sorted(objects: readonly ManifestObject[]): ManifestObject[] {
  const key = ({ kind, metadata }: ManifestObject): string => `${kind} ${metadata.name}`;
  return objects.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}
