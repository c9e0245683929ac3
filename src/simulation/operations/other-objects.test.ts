import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { crdOf, specOf } from "../../../e2e/support/simulation/box-operations.ts";
import { type Ref, refOf, refText } from "../contract/state.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import type { CRD } from "./draw-object.ts";
import { type PlannedStep, plansFor } from "./operations-for.ts";
import { otherObjectsOf, type ProjectObjects } from "./other-objects.ts";

const text: JSONSchema = { type: "string" };
const keyed: JSONSchema = {
  type: "object",
  required: ["name", "key"],
  properties: { name: text, key: text },
};
const store = crdOf(
  { type: "object", required: ["tokenSecret"], properties: { tokenSecret: text } },
  "store",
);
const box = crdOf(
  {
    type: "object",
    required: ["storeRef", "password", "settingsConfigMap", "title"],
    properties: {
      storeRef: { type: "object", required: ["name"], properties: { name: text } },
      password: { type: "object", properties: { secretKeyRef: keyed } },
      settingsConfigMap: { ...text, example: "settings" },
      title: text,
    },
  },
  "box",
);

const reads = (group: string, ...resources: string[]): ProjectObjects["rules"][number] => ({
  apiGroups: [group],
  resources,
  verbs: ["get", "list", "watch"],
});

const project: ProjectObjects = {
  crd: box,
  crds: [box, store],
  rules: [reads("", "secrets", "configmaps"), reads("example.com", "stores")],
  objects: [],
  namespaces: ["default", "other"],
  values: {},
};

const namesOf = (kind: string, found = otherObjectsOf(project)): Set<string | undefined> =>
  new Set(found.others.flatMap(({ object }) => (object.kind === kind ? [object.metadata.name] : [])));

const secret = (name: string): KubernetesObject =>
  ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default" },
    data: {},
  }) as KubernetesObject;

describe("otherObjectsOf()", () => {
  it("makes what the spec names, and what this names, in each namespace", () => {
    const found = otherObjectsOf(project);
    expect(namesOf("Store")).toEqual(new Set(["alpha", "beta"]));
    expect(namesOf("Secret")).toEqual(new Set(["alpha", "beta"]));
    expect(namesOf("ConfigMap")).toEqual(new Set(["settings", "alpha"]));
    expect(Object.keys(found.values).sort()).toEqual([
      "spec.password.secretKeyRef.key",
      "spec.password.secretKeyRef.name",
      "spec.settingsConfigMap",
      "spec.storeRef.name",
    ]);
    const stores = found.others.flatMap(({ object }) => (object.kind === "Store" ? [object] : []));
    expect(new Set(stores.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["default", "other"]));
    expect(stores.map((each) => specOf(each)["tokenSecret"])).toEqual(
      stores.map(() => expect.stringMatching("alpha|beta")),
    );
  });

  it("makes nothing that the operator doesn't read, or that may be its own", () => {
    expect(otherObjectsOf({ ...project, rules: [] }).others).toEqual([]);
    const writes = { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["create"] };
    const found = otherObjectsOf({ ...project, rules: [...project.rules, writes] });
    expect(namesOf("ConfigMap", found)).toEqual(new Set());
    // A name beside a key is no name that the operator should give.
    expect(namesOf("Secret", found)).toEqual(new Set(["alpha", "beta"]));
    const given = otherObjectsOf({
      ...project,
      rules: [...project.rules, writes],
      objects: [secret("given")],
    });
    expect(namesOf("Secret", given)).toEqual(new Set(["given"]));
  });

  it("takes what the test gives", () => {
    const found = otherObjectsOf({
      ...project,
      objects: [secret("given")],
      values: { "spec.storeRef": [{ name: "main" }] },
    });
    expect(namesOf("Secret", found)).toEqual(new Set(["given"]));
    expect(found.values["spec.password.secretKeyRef.name"]).toEqual(["given"]);
    expect(namesOf("Store", found)).toEqual(new Set());
  });
});

describe("a plan with other objects", () => {
  const { others, values } = otherObjectsOf({ ...project, objects: [secret("given")] });
  const draw = plansFor(box, { values }, { others });
  const plans = Array.from({ length: 200 }, (_, plan) => draw(new Random(plan), plan));
  const isOther = (kind: string): boolean => kind !== "Box";

  it("deletes and empties them, puts them back, changes them, and lets them come late", () => {
    const said = new Set(
      plans.flat().map(({ why }) => why.replace(/ \S+$/, "").replace(/ \S+ back$/, " back")),
    );
    for (const what of [
      "deletes the Secret given",
      "puts the Store alpha back",
      "changes the ConfigMap settings",
      "empties the ConfigMap alpha",
    ])
      expect(plans.flat().map(({ why }) => why)).toContain(what);
    expect(said.size).toBeGreaterThan(10);
    for (const what of [/^removes \S+ from the ConfigMap alpha$/, /^empties \S+ in the ConfigMap alpha$/])
      expect(plans.flat().filter(({ why }) => what.test(why)).length).toBeGreaterThan(2);
    const late = plans.filter(
      ([first, second]) => first?.do === "delete" && second?.why.startsWith("creates"),
    );
    expect(late.length).toBeGreaterThan(10);
  });

  /** The other objects that are away, and the last contents of each, after the steps up to one. */
  const after = (steps: readonly PlannedStep[]): Map<string, KubernetesObject | undefined> =>
    new Map(
      steps.flatMap((step) => {
        const target = step.do === "apply" ? refOf(step.object) : step.target;
        return isOther(target.kind)
          ? [[refText(target), step.do === "apply" ? step.object : undefined] as const]
          : [];
      }),
    );

  it("ends with all of them there, and with those of the test as they were", () => {
    const ends = plans.map((steps) => after(steps));
    expect(ends.filter((last) => [...last.values()].includes(undefined))).toEqual([]);
    const given = ends.flatMap((last) => last.get("Secret.v1 default/given") ?? []);
    expect(given.length).toBeGreaterThan(20);
    expect(given).toEqual(given.map(() => secret("given")));
  });

  it("takes away nothing that a deleted object names until the operator has cleaned up", () => {
    const gone = plans.flatMap((steps) =>
      steps.flatMap((step, at) => {
        const deleted = steps[at - 1];
        return step.strange &&
          isOther(kindOf(step)) &&
          deleted?.do === "delete" &&
          !isOther(deleted.target.kind)
          ? [{ step, object: JSON.stringify(contentOf(steps.slice(0, at), deleted.target)) }]
          : [];
      }),
    );
    const needed = gone.filter(({ step, object }) => object.includes(`"${nameOf(step)}"`));
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter(({ step }) => step.after !== 60_000)).toEqual([]);
  });

  it("deletes nothing while something that it names is away", () => {
    const namedAt = (steps: readonly PlannedStep[], target: Ref): Ref => {
      const created = steps.findLast(
        (step) => step.do === "apply" && !step.expect && refText(refOf(step.object)) === refText(target),
      );
      const { storeRef } = specOf((created as PlannedStep & { readonly do: "apply" }).object) as {
        storeRef: { name: string };
      };
      return { ...target, kind: "Store", name: storeRef.name };
    };
    const deletions = plans.flatMap((steps) =>
      steps.flatMap((step, at) =>
        step.do === "delete" && !isOther(step.target.kind)
          ? [{ before: steps.slice(0, at), named: namedAt(steps.slice(0, at), step.target) }]
          : [],
      ),
    );
    expect(deletions.length).toBeGreaterThan(50);
    const inVain = deletions.filter(({ before, named }) => {
      const others = after(before);
      return others.has(refText(named)) && others.get(refText(named)) === undefined;
    });
    expect(inVain).toEqual([]);
  });
});

describe("a plan with objects that selectors find", () => {
  const namespace = (name: string, labels?: Record<string, string>): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, ...(labels && { labels }) },
  });
  const labelled = namespace("team-a", { team: "a", trust: "yes" });
  const rules = [...project.rules, reads("", "namespaces")];
  const objects = [labelled, namespace("plain"), secret("given")];
  const plansOf = (changed: Partial<ProjectObjects>): PlannedStep[][] => {
    const { others, values } = otherObjectsOf({ ...project, rules, objects, ...changed });
    const draw = plansFor(box, { values }, { others });
    return Array.from({ length: 200 }, (_, plan) => draw(new Random(plan), plan));
  };
  const aboutNamespaces = (plans: PlannedStep[][]): PlannedStep[] =>
    plans.flat().filter((step) => kindOf(step) === "Namespace");

  it("takes labels from them, gives them labels of others, and leaves it so", () => {
    const steps = aboutNamespaces(plansOf({}));
    expect(new Set(steps.map(({ do: action, strange = false }) => `${action} ${strange}`))).toEqual(
      new Set(["apply false"]),
    );
    const labels = (name: string) =>
      steps.flatMap((step) =>
        step.do === "apply" && nameOf(step) === name ? [JSON.stringify(step.object.metadata.labels)] : [],
      );
    expect(labels("team-a")).toContain('{"trust":"yes"}');
    expect(labels("plain")).toContain('{"team":"a"}');
    expect(steps.map(({ why }) => why)).toContain('labels the Namespace team-a with {"trust":"yes"}');
  });

  it("leaves those alone that the operator can't watch, or makes itself, and those without labels", () => {
    const writes = { apiGroups: [""], resources: ["namespaces"], verbs: ["create"] };
    expect(aboutNamespaces(plansOf({ rules: project.rules }))).toEqual([]);
    expect(aboutNamespaces(plansOf({ rules: [...rules, writes] }))).toEqual([]);
    expect(aboutNamespaces(plansOf({ objects: [namespace("plain")] }))).toEqual([]);
  });

  it("changes what an object of the cluster names in a namespace", () => {
    const crd: CRD = { ...box, spec: { ...box.spec, scope: "Cluster" } };
    const { others, values } = otherObjectsOf({ ...project, crd, objects: [secret("given")] });
    const draw = plansFor(crd, { values }, { others });
    const steps = Array.from({ length: 50 }, (_, plan) => draw(new Random(plan), plan)).flat();
    expect(steps.map(({ why }) => why)).toContain("deletes the Secret given");
  });
});

const kindOf = (step: PlannedStep): string => (step.do === "apply" ? step.object : step.target).kind;

const nameOf = (step: PlannedStep): string =>
  step.do === "apply" ? step.object.metadata.name! : step.target.name;

/** The contents of an object after some steps. */
function contentOf(steps: readonly PlannedStep[], target: Ref): KubernetesObject {
  return steps
    .flatMap((step) => (step.do === "apply" && !step.expect ? [step.object] : []))
    .findLast((object) => refText(refOf(object)) === refText(target))!;
}
