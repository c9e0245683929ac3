import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { merge, type Step, type Story, story } from "../story.ts";
import { tables } from "./tables.ts";

/** The metadata that a write to `/status` changes, and the checks of it, for an object of every built-in kind. */
export const statusMetadata: readonly Story[] = [...oneOfEachKind()].map(([path, create]) => {
  const { name } = (create.body as { metadata: { name: string } }).metadata;
  const write = (metadata: object): Step => merge(`${path}/${name}/status?dryRun=All`, { metadata });
  return story(path, [
    create,
    write({ generateName: "BAD_" }),
    write({ generateName: "a/" }),
    write({ generateName: "good-" }),
    write({ labels: { "a b": "c" }, annotations: { "a b": "c" } }),
    write({ labels: { a: "b" }, annotations: { a: "b" } }),
    write({ finalizers: ["no domain"] }),
    write({ finalizers: ["example.com/f"] }),
    write({ ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "" }] }),
    write({ generation: -1 }),
    write({ deletionGracePeriodSeconds: 80 }),
    write({ uid: "x" }),
    write({ creationTimestamp: "2026-01-01T00:00:00Z" }),
    write({ name: "another" }),
  ]);
});

function oneOfEachKind(): ReadonlyMap<string, Step> {
  const found = new Map<string, Step>();
  for (const step of tables.flatMap(({ steps }) => steps)) {
    const isCreation = step.method === "POST" && hasStatus(step.path.split("/").at(-1)!);
    if (isCreation && !found.has(step.path)) found.set(step.path, step);
  }
  return found;
}

/** The real server writes to flow schemas by itself, whenever it gets to it. */
function hasStatus(plural: string): boolean {
  if (plural === "flowschemas") return false;
  const resource = builtinResources().find((each) => each.plural === plural);
  return resource?.subresources.some(({ name }) => name === "status") ?? false;
}
