import { join } from "node:path";
import Handlebars from "handlebars";
import { expect, test } from "vitest";
import type { Manager } from "../../src/chart/manager.ts";
import { chartPart } from "../../src/chart/plan-chart.ts";
import { valuesPart } from "../../src/chart/values.ts";
import { featureNames } from "../../src/project/features.ts";
import { newResource, noWebhooks, type Project, type Resource } from "../../src/project/project.ts";
import { describeProject } from "../../src/plugins/index.ts";
import { referenceTemplates } from "../../src/plugins/typescript/reference-templates.ts";
import type { Part } from "../../src/scaffold/blueprint.ts";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { repository } from "./source-imports.ts";

const templates = everythingBelow(join(repository, "templates"));

const resource = newResource({
  group: "apps",
  domain: "example.com",
  version: "v1",
  kind: "MySQL",
  plural: "mysqls",
  controllers: [{ name: "mysql" }],
  webhooks: { ...noWebhooks, defaulting: true, validation: true, spokes: ["v2"] },
});
const foreign: Resource = { ...resource, kind: "Pod", plural: "pods", origin: { type: "core" } };
const references = referenceTemplates.map(({ name, options }): Resource => {
  const told = Object.keys(options).map((option) => [option, "1"]);
  return { ...resource, kind: `From${name}`, template: { name, options: Object.fromEntries(told) } };
});

const manager: Manager = {
  replicas: 1,
  container: { name: "manager", image: "controller" },
  pod: { containers: [] },
};

/** Projects that use every part at least once. */
const projects = [
  { namespaces: [], more: references },
  { namespaces: ["a", "b"], more: [] },
].map(
  ({ namespaces, more }): Project => ({
    domain: "example.com",
    projectName: "mysql-operator",
    multigroup: true,
    namespaced: true,
    namespaces,
    license: "apache2",
    owner: "",
    features: featureNames,
    resources: [resource, { ...resource, version: "v2", webhooks: noWebhooks }, foreign, ...more],
    cliVersion: "0.0.0",
  }),
);

const parts = projects
  .flatMap((project) => [
    ...describeProject(project, {
      boilerplate: "/* */",
      packages: { runtime: "", cluster: "", tsbuilder: "" },
    }).parts,
    chartPart({ project, version: "1.0.0" }),
    valuesPart({ manager, features: featureNames, switches: new Set() }),
  ])
  .filter((part, i, all) => all.findIndex((other) => other.templates === part.templates) === i);

test("every folder of templates belongs to a part", () => {
  const used = new Set(parts.map((part) => part.templates));
  const folders = templates
    .list("")
    .filter((file) => ![...used].some((folder) => file.startsWith(`${folder}/`)));
  expect(folders).toEqual([]);
});

test.each(parts.map((part) => [part.templates, part] as const))(
  "%s uses its words, and no others",
  (_, part) => {
    const words = new Set(
      filesOf(part).flatMap((file) => [...wordsOf(file), ...wordsOf(templates.read(file)!)]),
    );
    // Every part of a deployment gets the project's name, whether its objects need it or not.
    if ("projectName" in part.context) words.add("projectName");
    // A reference operator uses what it needs of the words that all of them get.
    if (part.key.startsWith("typescript/template/"))
      for (const word of Object.keys(part.context)) words.add(word);
    expect([...words].sort()).toEqual(Object.keys(part.context).sort());
  },
);

test("every template ends with .hbs and holds no logic", () => {
  const wrong = templates
    .list("")
    .filter((file) => !file.endsWith(".hbs") || hasLogic(templates.read(file)!));
  expect(wrong).toEqual([]);
});

function hasLogic(template: string): boolean {
  try {
    wordsOf(template);
    return false;
  } catch {
    return true;
  }
}

function filesOf(part: Part): readonly string[] {
  return templates.list(part.templates);
}

/** The words between braces; anything else between braces is logic. */
function wordsOf(template: string): string[] {
  return Handlebars.parse(template).body.flatMap((node) => {
    if (node.type === "ContentStatement") return [];
    const { path, params } = node as hbs.AST.MustacheStatement;
    if (node.type !== "MustacheStatement" || path.type !== "PathExpression" || params.length > 0) {
      throw new Error(`${node.type} at line ${node.loc.start.line}`);
    }
    return [(path as hbs.AST.PathExpression).original];
  });
}
