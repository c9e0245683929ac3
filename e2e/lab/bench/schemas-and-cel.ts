import { compileRules } from "@tsbuilder/apimachinery/cel";
import { loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { compileSchema, type JSONSchema } from "@tsbuilder/apimachinery/schema";

// The cost of every write to a custom resource: pruning, defaulting and validation against the schema of a pod
// template, and CEL rules. All are compared with a JSON round trip of the same object in the same run.

const table = (await loadSchemas("core/v1"))!;
const template = table.get("PodTemplateSpec") as JSONSchema;
const object = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "thing" },
  spec: {
    metadata: { labels: { app: "web" } },
    spec: {
      restartPolicy: "Always",
      serviceAccountName: "web",
      containers: [
        {
          name: "web",
          image: "nginx:1",
          ports: [{ containerPort: 80, protocol: "TCP", name: "http" }],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "1Gi" } },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
          livenessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 10 },
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  },
};

const unique = `self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol &&
  (has(a.hostname) && has(b.hostname) ? a.hostname == b.hostname : !has(a.hostname) && !has(b.hostname))))`;
const text: JSONSchema = { type: "string", maxLength: 253 };
const listeners: JSONSchema = {
  type: "object",
  properties: {
    listeners: {
      type: "array",
      maxItems: 64,
      items: {
        type: "object",
        required: ["port", "protocol"],
        properties: { port: { type: "integer" }, protocol: text, hostname: text },
      },
      "x-kubernetes-validations": [{ rule: unique, message: "listeners must differ" }],
    },
  },
};
const gateway = {
  listeners: [
    { port: 80, protocol: "HTTP" },
    { port: 443, protocol: "HTTPS", hostname: "example.com" },
  ],
};
const bounded: JSONSchema = {
  type: "object",
  properties: {
    count: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= 1 && self <= 10" }] },
  },
};

const compiled = compileSchema({ type: "object", properties: { spec: template } });
const listenerRules = compileRules(listeners)!;
const simpleRules = compileRules(bounded)!;

const baseline = measure(() => JSON.parse(JSON.stringify(object)) as unknown, 20_000);
show("JSON round trip", baseline);
show(
  "structuredClone",
  measure(() => structuredClone(object), 20_000),
);
show(
  "prune",
  measure(() => compiled.prune(object), 50_000),
);
show(
  "fill in defaults",
  measure(() => compiled.applyDefaults(object), 50_000),
);
show(
  "validate",
  measure(() => compiled.validate(object), 50_000),
);
show(
  "a simple rule",
  measure(() => simpleRules.validate({ count: 5 }), 50_000),
);
show(
  "a rule over pairs of listeners",
  measure(() => listenerRules.validate(gateway), 20_000),
);
show(
  "compile that rule",
  measure(() => compileRules(listeners), 1_000),
);
show(
  "compile a pod template",
  measure(() => compileSchema({ type: "object", properties: { spec: template } }), 20),
);

/** Microseconds per run, the best of five rounds. */
function measure(run: () => unknown, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.hrtime.bigint();
    for (let index = 0; index < times / 5; index++) run();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / (times / 5) / 1000);
  }
  return best;
}

function show(name: string, microseconds: number): void {
  const ratio = microseconds / baseline;
  console.log(
    `${name.padEnd(34)} ${microseconds.toFixed(2).padStart(10)} µs ${ratio.toFixed(2).padStart(8)}× a JSON round trip`,
  );
}
