import { isObject } from "@tsbuilder/apimachinery/json";
import { expect, test } from "vitest";
import { projectKeys } from "./keys.ts";
import { newResource, type Project } from "./project.ts";
import { readProject, toRecord } from "./store.ts";

const names = { group: "apps", domain: "example.com", version: "v1", kind: "Shop", plural: "shops" };

/** A project that uses every key. */
const full: Project = {
  domain: "example.com",
  projectName: "shop-operator",
  multigroup: true,
  namespaced: true,
  namespaces: ["shops"],
  license: "apache2",
  owner: "The authors",
  features: ["metrics"],
  cliVersion: "1.0.0",
  resources: [
    newResource({
      ...names,
      singular: "shop",
      shortNames: ["sh"],
      categories: ["all"],
      template: { name: "deploy-image", options: { image: "shop" } },
      controllers: [{ name: "shop", owns: ["apps/v1/Deployment"] }],
      webhooks: {
        defaulting: true,
        validation: true,
        spokes: ["v2"],
        defaultingPath: "/default",
        validationPath: "/validate",
      },
    }),
    newResource({ ...names, group: "apps", domain: "", origin: { type: "core" } }),
    newResource({ ...names, kind: "Issuer", origin: { type: "external", module: "issuers" } }),
  ],
  plugins: [
    { key: "a.dev/v1", isInLayout: true, package: "tsbuilder-plugin-a", options: { b: "c" }, resources: [] },
    {
      key: "program.dev/v1",
      isInLayout: false,
      package: undefined,
      options: {},
      resources: [{ group: "apps", domain: "example.com", version: "v1", kind: "Shop", options: { b: "c" } }],
    },
  ],
};

test("every key that a project can have is described, and no other", () => {
  expect([...new Set(paths(toRecord(full)))].sort()).toEqual(Object.keys(projectKeys).sort());
  expect(readProject(toRecord(full))).toEqual(full);
});

/** The paths of all keys; the keys of plugins, their options and those of templates are the user's own. */
function paths(value: unknown, place = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => paths(item, `${place}[]`));
  if (!isObject(value) || place.endsWith(".options")) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (item === undefined) return [];
    const path = [place, nameOf(place, key)].filter(Boolean).join(".");
    return [path, ...paths(item, path)];
  });
}

function nameOf(place: string, key: string): string {
  if (place === "plugins") return "KEY";
  return place.endsWith(".template") && key !== "name" ? "OPTION" : key;
}
