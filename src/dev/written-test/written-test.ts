import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Recorded, RecordedSession } from "../record/recorded.ts";
import { endState, type Expectation, restState } from "./end-state.ts";
import { apart, handSteps, type Step } from "./hand-steps.ts";
import { Imports } from "./imports.ts";
import { literal } from "./literal.ts";
import { Notes } from "./notes.ts";
import type { ProjectFacts, SetupFacts } from "./project-facts.ts";
import { haveAllBeenMet, pageSteps } from "./page-steps.ts";
import { select } from "./selection.ts";
import { sessionWrites } from "./session-writes.ts";

/** A test, and what it leaves out. */
export interface WrittenTest {
  readonly text: string;
  readonly notes: readonly string[];
}

/** What of a record becomes a test. */
export interface WrittenTestOptions {
  /** The namespace and name of a custom resource; without it, all of them. */
  readonly object?: string | undefined;
  /** Until when the session is known, in milliseconds since 1970. Default: when its last line was written. */
  readonly until?: number | undefined;
}

/** A record, as `readRecording` returns it. */
interface Recording {
  readonly session: RecordedSession;
  readonly recorded: readonly Recorded[];
}

/**
 * Writes a recorded session as a test of a project: it does what hands did, and expects in the end what was there in the
 * end. Throws if no hand did anything.
 */
export function writtenTest(
  { session, recorded }: Recording,
  facts: ProjectFacts,
  { object, until = Date.parse(recorded.at(-1)?.at ?? session.at) }: WrittenTestOptions = {},
): WrittenTest {
  const notes = new Notes();
  const told = sessionWrites(recorded, session.project);
  const selection = select(told, facts, object);
  const page = pageSteps(recorded, notes);
  const steps = handSteps(told, selection, notes, page);
  if (steps.length === 0) throw nothingDone(told.writes.length > 0);
  const expected = endState(told, selection, notes);
  if (expected.length === 0)
    notes.add("the operator wrote nothing, and no custom resource was there: the test expects nothing");
  if (until - told.restedSince < apart)
    notes.add(
      "something still changed in the second before the session ended: correct what the test expects, or record until the operator rests",
    );
  if (told.isFull) notes.add("the record is full: the test ends where it ends");
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
    idle,
    ...expected.flatMap((each) => expectationLines(each, imports)),
    ...(hasFailures && haveAllBeenMet(recorded)
      ? ["await eventually(() => expect(failures.plans).toEqual([]));"]
      : []),
  ];
  return { text: fileText(facts, imports, session, { startManager, body, hasFailures }), notes: notes.texts };
}

/** The operator's user, where its requests are told from those of hands. */
const operator = "operator";

function nothingDone(hasWrites: boolean): TsbuilderError {
  return new TsbuilderError("nobody created, changed or deleted anything in this record", {
    code: "INVALID_ARGUMENT",
    hint: hasWrites
      ? "record a session in which you do: tsbuilder dev --samples --record FILE, and kubectl"
      : "a session with --context or --kubeconfig records no writes: record one on the embedded cluster",
  });
}

const idle = "await untilIdle(manager.manager);";

function stepLines(step: Step, imports: Imports, restart: string[]): string[] {
  if (step.type === "restart") return restart;
  if (step.type === "fail") return [`failures.plan(${literal(step.failure, "  ")});`];
  if (step.type === "wait") {
    const expected = step.rested.flatMap((object) => restState(object) ?? []);
    return ["", idle, ...expected.flatMap((each) => expectationLines(each, imports)), ""];
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

interface Parts {
  readonly startManager: string;
  readonly body: readonly string[];
  /** Whether requests of the operator fail: then hands have a client and a user of their own. */
  readonly hasFailures: boolean;
}

function fileText(
  { header, setups }: ProjectFacts,
  imports: Imports,
  { at }: RecordedSession,
  { startManager, body, hasFailures }: Parts,
): string {
  const lines = body.filter((line, index) => line !== "" || (index > 0 && body[index - 1] !== ""));
  const only = (text: string): string => (hasFailures ? text : "");
  return `${header}import { controllerNames${only(", PlannedFailures")} } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
${only('import { createClient, loadConfig } from "@tsbuilder/runtime";\n')}import { eventually, startTestManager, type TestManager, untilIdle } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
${imports.lines().join("\n")}
${setups.map(importOf).join("")}
let cluster: TestCluster;
let manager: TestManager;
${only("const failures = new PlannedFailures();\n")}
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
