import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Manager } from "../../src/chart/manager.ts";
import { chartPart, valuesPart, workflowPart } from "../../src/chart/plan-chart.ts";
import { ejectedPart } from "../../src/cli/commands/project/eject.ts";
import { basePart } from "../../src/olm/bundle/base-csv.ts";
import { scorecardPart } from "../../src/olm/bundle/plan-bundle.ts";
import {
  type Project,
  type Resource,
  featureNames,
  newResource,
  noWebhooks,
} from "../../src/project/project.ts";
import { npm, yarn } from "../../src/project/package-manager.ts";
import { importedController } from "../../src/plugins/typescript/create-api.ts";
import { describeProject } from "../../src/plugins/plan-project.ts";
import { referenceTemplates } from "../../src/plugins/typescript/reference-templates.ts";
import type { TemplatePart } from "../../src/scaffold/blueprint.ts";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { explainForm, explainUnusedTemplates, explainWords } from "./explain-templates.ts";
import { repository } from "../support/source-imports.ts";

const everything = everythingBelow(join(repository, "templates"));
/** `formatLock()` completes lock files, which are no templates of Handlebars. */
const templates = {
  ...everything,
  list: (folder: string) => everything.list(folder).filter((path) => !path.startsWith("locks/")),
};

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
const external: Resource = {
  ...resource,
  kind: "Certificate",
  plural: "certificates",
  origin: { type: "external", module: "cert-manager" },
};
const clusterScoped: Resource = { ...resource, kind: "Zone", plural: "zones", namespaced: false };
const owning: Resource = {
  ...resource,
  kind: "Shop",
  plural: "shops",
  controllers: [{ name: "shop", owns: ["v1/Service"] }],
};
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
  { namespaces: ["a", "b"], more: [clusterScoped, external, owning] },
].map(({ namespaces, more }): Project => ({
  domain: "example.com",
  projectName: "mysql-operator",
  multigroup: true,
  namespaced: true,
  namespaces,
  license: "apache2",
  owner: "",
  features: featureNames,
  resources: [resource, { ...resource, version: "v2", webhooks: noWebhooks }, foreign, ...more],
  plugins: [],
  cliVersion: "0.0.0",
}));

const inputs = {
  boilerplate: "/* */",
  packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "file:" },
};
const inGo = { place: "shop.go:1", markers: [], imports: [], owns: [], remarks: [] };

const parts = projects
  .flatMap((project) => [
    ...importedController(project, resource, "mysql", inputs, inGo).parts,
    ...[npm, yarn].flatMap(
      (packageManager) => describeProject(project, { ...inputs, manager: packageManager }).parts,
    ),
    chartPart({ project, version: "1.0.0" }),
    workflowPart({ project, folder: "dist/chart" }),
    basePart(project),
    scorecardPart,
    ejectedPart,
    valuesPart({ manager, features: featureNames, switches: new Set() }),
  ])
  .filter((part): part is TemplatePart => "templates" in part)
  .filter((part, i, all) => all.findIndex((other) => other.templates === part.templates) === i);

test("every folder of templates belongs to a part", () => {
  const folders = parts.map((part) => part.templates);
  expect(explainUnusedTemplates(templates.list(""), folders).join("\n")).toBe("");
});

test.each(parts.map((part) => [part.templates, part] as const))(
  "%s uses its words, and no others",
  (_, part) => {
    expect(explainWords(part, templates.list(part.templates).map(read), mayIgnore(part)).join("\n")).toBe("");
  },
);

test("every template ends with .hbs and holds no logic", () => {
  expect(templates.list("").map(read).flatMap(explainForm).join("\n")).toBe("");
});

function read(path: string) {
  return { path, text: templates.read(path)! };
}

/** Words that a part gets but need not use. */
function mayIgnore(part: TemplatePart): string[] {
  // A reference operator uses only some of the words that all of them get.
  if (part.key.startsWith("typescript/template/")) return Object.keys(part.context);
  // Every part of a deployment gets the project's name, whether its objects need it or not.
  return ["projectName"];
}

describe("explaining templates", () => {
  test("names its file, and the folder for parts", () => {
    expect(explainUnusedTemplates(["a/used/x.hbs", "a/new/x.hbs"], ["a/used"])).toEqual([
      "templates/a/new/x.hbs belongs to no part: name its folder as `templates` of a part in src/plugins or " +
        "src/chart or src/olm, or delete it",
    ]);
  });

  test("names the missing word, the unused word, and their part", () => {
    const part = { templates: "a/part", context: { kind: "MySQL", idle: "", always: "" } };
    const used = [{ path: "a/part/{{plural}}.ts.hbs", text: "{{kind}} {{king}}" }];
    const found = `the part with templates: "a/part" (git grep -n '"a/part"' src)`;
    expect(explainWords(part, used, ["always"])).toEqual([
      expect.stringContaining(
        "templates/a/part/{{plural}}.ts.hbs uses {{plural}}, which it doesn't get: put plural",
      ),
      `templates/a/part/{{plural}}.ts.hbs uses {{king}}, which it doesn't get: put king into the context of ${found}, ` +
        "which gives kind, idle, always",
      `no template below templates/a/part uses idle: take it out of the context of ${found}`,
    ]);
  });

  test("names the line with logic, and a placeholder that is not a name", () => {
    expect(explainForm({ path: "a/x.ts.hbs", text: "\n{{#if a}}{{/if}}" })).toEqual([
      "templates/a/x.ts.hbs holds more than words (BlockStatement at line 2): make the choice in src/plugins, and " +
        "give the template a word or leave the part out",
    ]);
    expect(explainForm({ path: "a/x.ts", text: "" })).toEqual([
      "templates/a/x.ts is no template by its name: call it x.ts.hbs",
    ]);
    expect(explainForm({ path: "a/x.ts.hbs", text: "{{a}}" })).toEqual([]);
  });
});
