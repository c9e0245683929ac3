import { FakeClock } from "@tsbuilder/apimachinery/time";
import type { BuiltinResource, BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { builtinResources, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gapsIn, withGaps } from "../../../e2e/oracle/differential/gaps.ts";
import { readSamples } from "../../../e2e/oracle/differential/samples.ts";
import { StatusError } from "../contract/status-error.ts";
import { controllerNames } from "../controllers/index.ts";
import { type InProcessCluster, startInProcess } from "../start-in-process.ts";

/** Every failure that is no Status: of requests, of controllers, and beside both. */
const failures: string[] = [];
const clock = new FakeClock(Date.UTC(2026, 0, 1));
let cluster: InProcessCluster;

beforeAll(async () => {
  cluster = await startInProcess({
    clock,
    connectionClock: new FakeClock(),
    tokens: { secret: { name: "admin", groups: ["system:masters"] } },
    controllers: controllerNames,
    onError(error) {
      const { message, cause } = error as Error;
      if (cause instanceof StatusError) return;
      failures.push(`${message}: ${cause instanceof Error ? cause.stack : String(cause)}`);
    },
  });
});
afterAll(() => cluster.stop());

interface Sample {
  readonly metadata: { readonly name: string };
}

/** A kind with its valid objects. */
interface Kind {
  readonly schema: BuiltinSchema;
  readonly hasStatus: boolean;
  readonly samples: readonly Sample[];
}

const samples = await readSamples();
const kinds = new Map<string, Kind>();
for (const resource of builtinResources()) {
  const [path, kind] = await readKind(resource);
  if (resource.verbs.includes("create") && kind.samples.length > 0) kinds.set(path, kind);
}

async function readKind(resource: BuiltinResource): Promise<[path: string, kind: Kind]> {
  const { group, apiVersion, scope, plural, type, kind, subresources } = resource;
  const [module = "", name = ""] = type.split(".");
  const prefix = group === "" ? "/api" : "/apis";
  const path = `${prefix}/${apiVersion}${scope === "Namespaced" ? "/namespaces/{ns}" : ""}/${plural}`;
  const text = JSON.stringify(samples.get(path) ?? []).replaceAll("{ns}", "default");
  const bodies = JSON.parse(text) as { metadata?: object }[];
  const named = bodies.map((body) => ({
    apiVersion,
    kind,
    ...body,
    metadata: { name: "x", ...body.metadata },
  }));
  const schema = (await loadSchemas(module))!.get(name)!;
  const hasStatus = subresources.some((each) => each.name === "status");
  return [path.replace("{ns}", "default"), { schema, hasStatus, samples: named }];
}

/** A valid object, and three with gaps: to create it, to replace it, to replace its status. */
interface Case {
  readonly path: string;
  readonly whole: Sample;
  readonly created: object;
  readonly updated: object;
  readonly reported: object;
}

function caseOf(path: string): fc.Arbitrary<Case> {
  const { samples: some, schema } = kinds.get(path)!;
  return fc.constantFrom(...some).chain((whole) => {
    const gaps = fc.array(fc.constantFrom(...gapsIn(whole, schema)), { minLength: 1, maxLength: 3 });
    const partial = gaps.map((each) => withGaps(whole, each));
    return fc.record({
      path: fc.constant(path),
      whole: fc.constant(whole),
      created: partial,
      updated: partial,
      reported: partial,
    });
  });
}

/** Kinds that are read while objects of other kinds are written or reconciled. */
const readByOthers =
  /limitranges|quotas|classes|configurations|policies|bindings|roles|nodes|\/namespaces$|volumes$|definitions|services|drivers|schemas|accounts|budgets/;
const paths = [...kinds.keys()];
const configuration = fc.constantFrom(...paths.filter((path) => readByOthers.test(path))).chain(caseOf);
const any = fc.constantFrom(...paths).chain(caseOf);
const cases = fc.tuple(
  fc.array(configuration, { maxLength: 2 }),
  fc.array(any, { minLength: 1, maxLength: 3 }),
);

async function call(method: string, path: string, body?: object, type = "json"): Promise<number> {
  const headers = { authorization: "Bearer secret", "content-type": `application/${type}` };
  const sent = body && JSON.stringify(body);
  const { status, body: answer } = await cluster.handle({ method, path, headers, body: sent });
  if (/caused apiserver to panic|TypeError|RangeError/.test(answer.toString()))
    failures.push(`${method} ${path} ${sent}: ${answer.toString()}`);
  return status;
}

async function play({ path, whole, created, updated, reported }: Case): Promise<void> {
  if ((await call("POST", path, created)) >= 300) await call("POST", path, whole);
  const at = `${path}/${whole.metadata.name}`;
  await call("PUT", at, updated);
  if (kinds.get(path)!.hasStatus) {
    await call("PUT", `${at}/status`, reported);
    await call("PATCH", `${at}/status`, reported, "merge-patch+json");
  }
  await call("PATCH", at, created, "strategic-merge-patch+json");
  await call("PATCH", `${at}?fieldManager=f&force=true`, updated, "apply-patch+yaml");
  await call("GET", at);
}

test("no object with gaps ends a request or a controller in a JavaScript error", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([stored, written]) => {
      const before = cluster.core.store.snapshot();
      for (const each of [...stored, ...written]) await play(each);
      for (let second = 0; second < 3; second++) await clock.advance(1000);
      cluster.core.store.restore(before);
      await clock.advance(1000);
      expect(failures.splice(0)).toEqual([]);
    }),
    { numRuns: 2 * (fc.readConfigureGlobal().numRuns ?? 100) },
  );
});
