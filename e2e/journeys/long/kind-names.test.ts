import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import { expect, onTestFinished, test } from "vitest";
import { emptyProject } from "../../support/projects/empty-project.ts";
import { repository } from "../../support/source-imports.ts";
import { addResource } from "../../../src/project/change-project.ts";
import { newResource, noWebhooks, type Project, type Resource } from "../../../src/project/project.ts";
import { checkKind } from "../../../src/project/validate.ts";
import { renderPart } from "../../../src/scaffold/blueprint.ts";
import { TsbuilderError } from "../../../src/shared/errors.ts";
import { createApi, createWebhook } from "../../../src/plugins/typescript/create-api.ts";
import { refuseTakenName } from "../../../src/plugins/typescript/taken-names.ts";

const owns = ["apps/v1/Deployment", "apps/v1/StatefulSet", "v1/Service", "v1/ConfigMap", "batch/v1/CronJob"];
const image = { image: "nginx", containerCommand: "", containerPort: "", runAsUser: "" };
const scaffolds = [
  { folder: "create-api", template: undefined, owns: [] },
  { folder: "create-api/owning-controller", template: undefined, owns },
  { folder: "template/deploy-image", template: { name: "deploy-image", options: image }, owns: [] },
  { folder: "template/appservice", template: { name: "appservice", options: {} }, owns: [] },
  { folder: "template/mysql", template: { name: "mysql", options: {} }, owns: [] },
];
const templates = join(repository, "templates/typescript");
const inputs = {
  boilerplate: "",
  packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "" },
};

test("code that is scaffolded for any kind compiles, or the kind is refused", () => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-names-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [serial, { folder, template, owns }] of scaffolds.entries()) {
    const accepted: Project[] = [];
    const kinds = candidates(folder);
    for (const [at, kind] of kinds.entries()) {
      const resource = newResource({
        group: `g${serial}-${at}`,
        domain: "example.com",
        version: "v1",
        kind,
        plural: pluralize(kind.toLowerCase()),
        template,
      });
      const request = { resource, withResource: true, withController: true, controllerName: undefined, owns };
      const project = addResource({ ...emptyProject, multigroup: true }, request);
      if (!isRefused(project, resource)) accepted.push(project);
    }
    expect(accepted.length, `of ${kinds.length} for ${folder}`).toBeGreaterThan(kinds.length / 3);
    // The large templates have very many words.
    const step = Math.ceil(accepted.length / 50);
    for (const project of accepted.filter((_, at) => at % step === 0)) {
      const [resource] = project.resources as [Resource];
      const withWebhooks = { ...resource, webhooks: { ...noWebhooks, defaulting: true, validation: true } };
      const parts = [createApi(project, resource, inputs), createWebhook(project, withWebhooks, inputs)];
      for (const { path, content } of parts.flatMap((each) => each.parts).flatMap((part) => renderPart(part)))
        write(path, content);
    }
  }
  const golden = join(repository, "e2e/golden/app-operator/tsconfig.json");
  const { compilerOptions } = JSON.parse(readFileSync(golden, "utf8")) as { compilerOptions: object };
  // The sources of our packages are compiled, too, which are written for this option.
  const ours = { exactOptionalPropertyTypes: true, customConditions: ["@tsbuilder/source"] };
  const options = { ...compilerOptions, ...ours };
  write("package.json", JSON.stringify({ type: "module" }));
  write("tsconfig.json", JSON.stringify({ compilerOptions: options }));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  expect(compile(root)).toEqual([]);
});

/** Returns whether the names of a kind are refused; throws any other error. */
function isRefused(project: Project, resource: Resource): boolean {
  try {
    checkKind(resource.kind);
    refuseTakenName(project, resource, { isNew: true });
    return false;
  } catch (error) {
    if (error instanceof TsbuilderError && error.code === "INVALID_NAME") return true;
    throw error;
  }
}

/** The words of templates as kinds: what they import, declare, call and use of JavaScript. */
function candidates(folder: string): string[] {
  const words = readdirSync(join(templates, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts.hbs"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .flatMap((text) => text.replace(/^ *(?:\/\/|\/?\*).*|"[^"\n]*"/gmu, "").match(/\b[a-z]\w{2,30}/giu) ?? [])
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return [...new Set(words)].filter((word) => !word.includes("_")).sort();
}

/** Returns what the compiler has against the files of a folder. */
function compile(folder: string): string[] {
  try {
    execFileSync(process.execPath, [
      join(repository, "node_modules/typescript-native/bin/tsc"),
      "--project",
      folder,
    ]);
    return [];
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout)
      .split("\n")
      .slice(0, 20);
  }
}
