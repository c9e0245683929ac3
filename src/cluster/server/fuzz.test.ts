import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainJSON, findFieldProblems } from "../codec/go-json.ts";
import { send } from "../testing/send.ts";
import { type TestCluster, startTestCluster } from "../testing/index.ts";
import { parseRequest } from "../http/request-context.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

/** The outcome of a call: the type of its value, or the name of its error. */
function outcome(run: () => unknown): string {
  try {
    return typeof run();
  } catch (error) {
    return (error as Error).name;
  }
}

const { numRuns: runs = 100 } = fc.readConfigureGlobal();

test("parseRequest() parses any path or throws for malformed escapes", () => {
  fc.assert(
    fc.property(fc.constantFrom("GET", "POST", "DELETE", "X"), fc.string(), (method, path) => {
      expect(outcome(() => parseRequest(method, `/${path}`, new URLSearchParams()))).toMatch(
        /^(object|URIError)$/,
      );
    }),
    { numRuns: 20 * runs },
  );
});

test("explainJSON() explains every text that is not JSON", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(outcome(() => JSON.parse(text) as unknown) === "SyntaxError");
      expect(explainJSON(text)).toMatch(/^(invalid character|unexpected end|invalid JSON)/);
    }),
    { numRuns: 20 * runs },
  );
});

test("findFieldProblems() finds nothing in JSON that JSON.stringify() wrote", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findFieldProblems(JSON.stringify(JSON.parse(text)), [])).toEqual([]);
    }),
    { numRuns: 5 * runs },
  );
});

const word = fc.constantFrom(
  "api",
  "apis",
  "v1",
  "apps",
  "namespaces",
  "default",
  "pods",
  "configmaps",
  "status",
  "scale",
  "x",
  "watch",
  "",
  "..",
);
const value = fc.jsonValue({ maxDepth: 3 });

test("no request of any shape is answered by a server error", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
      fc.array(word, { maxLength: 8 }),
      fc.constantFrom(
        "application/json",
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/strategic-merge-patch+json",
        "application/yaml",
        "application/apply-patch+yaml",
      ),
      value,
      async (method, words, type, body) => {
        const path = `/${words.join("/")}?fieldManager=f&dryRun=All`;
        const headers = { "Content-Type": type };
        const answer = await send(cluster.kubeconfig, {
          method,
          path,
          headers,
          ...(method !== "GET" && { body: JSON.stringify(body) }),
        });
        expect(answer.code, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`).toBeLessThan(500);
      },
    ),
    { numRuns: runs },
  );
});

test("no object of any shape under a real kind is answered by a server error", async () => {
  const field = fc.constantFrom(
    "metadata",
    "spec",
    "status",
    "data",
    "template",
    "selector",
    "containers",
    "name",
    "ports",
    "rules",
    "type",
    "labels",
  );
  const object = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, 1, -1, 1.5, "a", "", true, [], {}),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(field, tie("tree"), { maxKeys: 4 }),
    ),
  })).tree;
  const kinds = [
    "api/v1/namespaces/default/pods",
    "api/v1/namespaces/default/services",
    "apis/apps/v1/namespaces/default/deployments",
    "apis/batch/v1/namespaces/default/jobs",
    "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apis/rbac.authorization.k8s.io/v1/clusterroles",
    "apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
    "api/v1/namespaces/default/persistentvolumeclaims",
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), object, object, async (kind, spec, more) => {
      const body = { ...(more as object), metadata: { name: "fuzz" }, spec };
      const answer = await send(cluster.kubeconfig, {
        method: "POST",
        path: `/${kind}?dryRun=All`,
        body: JSON.stringify(body),
      });
      expect(answer.code, `${kind} ${JSON.stringify(body)}: ${answer.text}`).toBeLessThan(500);
    }),
    { numRuns: 2 * runs },
  );
});
