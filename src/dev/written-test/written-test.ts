// Writes the record of a session as a test. Begin here: `session-writes` reads the writes, `select-objects` selects them, `steps`
// derives what the test does, `expectations` what it expects, and `literal` formats values as code.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Recording } from "../record/read-recording.ts";
import type { RecordedSession } from "../record/recorded.ts";
import { type Notes, type Step, pauseMilliseconds, handSteps, haveAllBeenMet, pageSteps } from "./steps.ts";
import { type Expectation, endState, restState } from "./expectations.ts";
import { literal } from "./literal.ts";
import type { KindFacts, ProjectFacts, SetupFacts } from "./project-facts.ts";
import { selectObjects } from "./select-objects.ts";
import { linesThatLast, sessionWrites } from "./session-writes.ts";

/** A written test, and notes about the parts of the session that it leaves out. */
export interface WrittenTest {
  readonly text: string;
  readonly notes: readonly string[];
}

/** The options of a written test. */
export interface WrittenTestOptions {
  /** The namespace and name of a custom resource; without it, all of them. */
  readonly object?: string | undefined;
  /** The end of the session in milliseconds since 1970. Default: the time of its last line. */
  readonly until?: number | undefined;
}

/** The operator's user in tests with planned failures, which must not meet the requests of the test itself. */
const operator = "operator";

/** The statement that waits until the operator is idle. */
const waitUntilIdle = "await untilIdle(manager.manager);";

/** Writes a session as a test that repeats its manual steps and expects its final state. Throws if there are no such steps. */
export function writtenTest(
  { session, recorded: all }: Recording,
  facts: ProjectFacts,
  { object, until = Date.parse(all.at(-1)?.at ?? session.at) }: WrittenTestOptions = {},
): WrittenTest {
  const recorded = linesThatLast(all);
  const notes: Notes = new Set();
  const writes = sessionWrites(recorded, session.project);
  const selection = selectObjects(writes, facts, object);
  const page = pageSteps(recorded, notes);
  const steps = handSteps(writes, selection, notes, page);
  if (steps.length === 0) throw nothingDone(writes.writes.length > 0);
  const expected = endState(writes, selection, notes);
  if (expected.length === 0)
    notes.add("the operator wrote nothing, and no custom resource was there: the test expects nothing");
  if (until - writes.restedSince < pauseMilliseconds)
    notes.add(
      "something still changed in the second before the session ended: correct what the test expects, or record until the operator rests",
    );
  if (writes.isFull) notes.add("the record is full: the test ends where it ends");
  if (facts.hasWebhooks) notes.add("the test calls no webhooks: objects are created as they were after them");
  const imports = new Imports(facts.kinds);
  const isRestarted = steps.some(({ type }) => type === "restart");
  const hasFailures = steps.some(({ type }) => type === "fail");
  const kubeconfig = hasFailures
    ? `cluster.addUser("${operator}", ["system:masters"])`
    : "cluster.kubeconfig";
  const startManager = `await startTestManager(${[kubeconfig, ...facts.setups.map(({ local }) => local)].join(", ")});`;
  const restart = ["await manager.stop();", `manager = ${startManager}`];
  const body = [
    hasFailures
      ? "const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));"
      : `${isRestarted ? "let" : "const"} { client } = manager;`,
    "",
    ...steps.flatMap((step) =>
      stepLines(step, imports, hasFailures ? restart : [...restart, "({ client } = manager);"]),
    ),
    "",
    waitUntilIdle,
    ...expected.flatMap((expectation) => expectationLines(expectation, imports)),
    ...(hasFailures && haveAllBeenMet(recorded)
      ? ["await eventually(() => expect(failures.plans).toEqual([]));"]
      : []),
  ];
  return { text: fileText(facts, imports, session, { startManager, body, hasFailures }), notes: [...notes] };
}

function nothingDone(hasWrites: boolean): TsbuilderError {
  return new TsbuilderError("nobody created, changed or deleted anything in this record", {
    code: "INVALID_ARGUMENT",
    hint: hasWrites
      ? "record a session in which you do: tsbuilder dev --samples --record FILE, and kubectl"
      : "a session with --context or --kubeconfig records no writes: record one on the embedded cluster",
  });
}

function stepLines(step: Step, imports: Imports, restart: string[]): string[] {
  if (step.type === "restart") return restart;
  if (step.type === "fail") return [`failures.plan(${literal(step.failure, "  ")});`];
  if (step.type === "wait") {
    const expected = step.rested.flatMap((object) => restState(object) ?? []);
    return [
      "",
      waitUntilIdle,
      ...expected.flatMap((expectation) => expectationLines(expectation, imports)),
      "",
    ];
  }
  const kind = kindOf(step.object, imports);
  const key = keyOf(step.object);
  switch (step.type) {
    case "create":
      return [`await client.create(${kind}, ${literal(step.body, "  ")});`];
    case "change":
      return [`await client.patch(${kind}, ${key}, ${literal({ merge: step.patch }, "  ")});`];
    case "change status": {
      const patch = literal({ merge: step.patch }, "  ");
      return [`await client.subresource(${kind}, ${key}, "status").patch(${patch});`];
    }
    case "delete": {
      const options = step.policy === undefined ? "" : `, ${literal({ propagationPolicy: step.policy })}`;
      return [`await client.delete(${kind}, ${key}${options});`];
    }
  }
}

function expectationLines({ object, body }: Expectation, imports: Imports): string[] {
  const kind = kindOf(object, imports);
  const key = keyOf(object);
  const check =
    body === undefined
      ? [`expect(await client.find(${kind}, ${key})).toBeUndefined();`]
      : [
          `const found = await client.get(${kind}, ${key});`,
          `expect(found).toMatchObject(${literal(body, "    ")});`,
        ];
  return ["await eventually(async () => {", ...check.map((line) => `  ${line}`), "});"];
}

function kindOf({ apiVersion, kind }: KubernetesObject, imports: Imports): string {
  return imports.kind(apiVersion ?? "v1", kind ?? "");
}

function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return literal({ namespace, name });
}

/** The parts of the test's file that depend on the session. */
interface FileParts {
  readonly startManager: string;
  readonly body: readonly string[];
  /** True if the operator's requests fail: then the test has a client with a user of its own. */
  readonly hasFailures: boolean;
}

/** Returns the text of the test's file, before it is formatted. */
function fileText(
  { header, setups }: ProjectFacts,
  imports: Imports,
  { at }: RecordedSession,
  { startManager, body, hasFailures }: FileParts,
): string {
  const lines = body.filter((line, index) => line !== "" || (index > 0 && body[index - 1] !== ""));
  const ifFailures = (text: string): string => (hasFailures ? text : "");
  return `${header}import { controllerNames${ifFailures(", PlannedFailures")} } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
${ifFailures('import { createClient, loadConfig } from "@tsbuilder/runtime";\n')}import { eventually, startTestManager, type TestManager, untilIdle } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
${imports.lines().join("\n")}
${setups.map(importOf).join("")}
let cluster: TestCluster;
let manager: TestManager;
${ifFailures("const failures = new PlannedFailures();\n")}
// Kubernetes' own controllers run, as they do in dev.
beforeAll(async () => {
${startCluster(hasFailures)}
  manager = ${startManager}
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("what was recorded on ${at.slice(0, 10)} happens again", async () => {
${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}
});
`;
}

function startCluster(hasFailures: boolean): string {
  const options = ['crds: ["config/crd/bases"]', "controllers: controllerNames"];
  if (!hasFailures) return `  cluster = await startTestCluster({ ${options.join(", ")} });`;
  const intercept = `intercept: (request) => (request.user === "${operator}" ? failures.take(request) : undefined)`;
  return `  cluster = await startTestCluster({
${[...options, intercept].map((option) => `    ${option},\n`).join("")}  });`;
}

function importOf({ name, local, module }: SetupFacts): string {
  return `import { ${name === local ? name : `${name} as ${local}`} } from ${JSON.stringify(module)};\n`;
}

/** Names that a written test uses for itself. */
const reservedNames = ["CustomResourceDefinition", "Promise", "String", "TestCluster", "TestManager"];

/** Collects the imports of kinds, and their names in the test. */
export class Imports {
  readonly #facts: readonly KindFacts[];
  readonly #names = new Map<string, string>();
  readonly #modules = new Map<string, string[]>();
  readonly #taken = new Set(reservedNames);

  constructor(facts: readonly KindFacts[]) {
    this.#facts = facts;
  }

  /** Returns an expression for a kind: the imported name, or a lookup in the cluster. */
  kind(apiVersion: string, kind: string): string {
    const id = `${apiVersion} ${kind}`;
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const module =
      this.#facts.find((fact) => fact.apiVersion === apiVersion && fact.kind === kind)?.module ??
      builtInModule(apiVersion);
    if (module === undefined) return `await client.mapper.kindFor(${literal({ apiVersion, kind })})`;
    let name = kind;
    for (let count = 2; this.#taken.has(name); count++) name = `${kind}${count}`;
    this.#taken.add(name);
    this.#names.set(id, name);
    const imported = this.#modules.get(module) ?? [];
    imported.push(name === kind ? kind : `${kind} as ${name}`);
    this.#modules.set(module, imported);
    return name;
  }

  /** Returns the import statements, packages before the project's own modules. */
  lines(): string[] {
    return [...this.#modules]
      .toSorted(([a], [b]) => Number(a.startsWith(".")) - Number(b.startsWith(".")) || compareText(a, b))
      .map(
        ([module, names]) =>
          `import { ${names.toSorted(compareText).join(", ")} } from ${JSON.stringify(module)};`,
      );
  }
}

/** The groups of built-in kinds that people and operators write, without their domains; "" is the core group. */
const builtInGroups =
  /^(?:|admissionregistration|apps|autoscaling|batch|certificates|coordination|discovery|networking|node|policy|rbac|scheduling|storage)$/u;

/** Returns the module of a built-in kind; undefined for groups with a domain outside of k8s.io. */
function builtInModule(apiVersion: string): string | undefined {
  const [, group = "", version] = /^(?:([a-z.0-9]+)\/)?(v[12])$/u.exec(apiVersion) ?? [];
  if (version === undefined || (group.includes(".") && !group.endsWith(".k8s.io"))) return undefined;
  const [name = ""] = group.split(".");
  return builtInGroups.test(name) ? `@tsbuilder/runtime/k8s/${name || "core"}/${version}` : undefined;
}
