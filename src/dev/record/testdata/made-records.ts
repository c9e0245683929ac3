import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type {
  Recorded,
  RecordedAdmission,
  RecordedWrite,
  RecordedSample,
} from "../recorded.ts";
import { type Finding, Findings } from "../findings/findings.ts";

/** Records for tests: this formats their times, which are milliseconds since 1970. */
export const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const operator = { user: "system:serviceaccount:shop-system:controller-manager", userAgent: "shop" };

export const ann = { user: "ann", userAgent: "kubectl/v1.36.0 (linux/amd64)" };

export const stages = { user: "system:serviceaccount:kube-system:stage-controller" };

interface MadeWrite {
  readonly at: number;
  readonly write?: RecordedWrite["write"];
  readonly resource?: string;
  readonly by?: RecordedWrite["by"];
}

type MadeObject = Omit<Partial<KubernetesObject>, "metadata"> & {
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
};

/** Makes a write of a MySQL, unless the object has another kind. */
export function madeWrite(
  { at, write = "MODIFIED", resource = "mysqls.shop.example", by = operator }: MadeWrite,
  object: MadeObject,
): RecordedWrite {
  const { namespace, name = "" } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const whole = { apiVersion: "shop.example/v1", kind: "MySQL", ...object };
  return { type: "write", at: timeOf(at), write, resource, key, by, object: whole };
}

type RecordedReconcile = Extract<Recorded, { type: "reconcile" }>;

/** Makes a reconcile of `default/db` by `mysql` that took 10 ms. */
export function madeReconcile(at: number, changes: Partial<RecordedReconcile> = {}): RecordedReconcile {
  return {
    type: "reconcile",
    at: timeOf(at),
    controller: "mysql",
    request: "default/db",
    reconcileID: String(at),
    causes: [],
    requests: [],
    outcome: "done",
    seconds: 0.01,
    ...changes,
  };
}

/** Makes a request of a reconcile from a line such as `PUT /api/v1/namespaces/default/secrets/db`. */
export function madeRequest(
  line: string,
  code = "200",
  seconds = 0.001,
): RecordedReconcile["requests"][number] {
  const [method = "", path = ""] = line.split(" ");
  return { method, path, code, seconds };
}

/** Makes a sample of an idle operator. */
export function madeSample(at: number, changes: Partial<RecordedSample> = {}): RecordedSample {
  return {
    type: "sample",
    at: timeOf(at),
    since: timeOf(0),
    controllers: [{ controller: "mysql", queued: 0, active: 0, workers: 1 }],
    cached: { "MySQL.shop.example": 1 },
    cachedBytes: 1000,
    blocked: 0,
    resident: 80 * megabyte,
    heap: 20 * megabyte,
    heapKept: undefined,
    ...changes,
  };
}

export const megabyte = 1024 * 1024;

/** Makes a MySQL `default/db`. */
export function madeObject(spec: unknown, metadata: ObjectMeta = {}): KubernetesObject {
  const object = { apiVersion: "shop.example/v1", kind: "MySQL", spec };
  return { ...object, metadata: { namespace: "default", name: "db", ...metadata } };
}

/** Makes a call of a defaulting webhook for an update of the MySQL `default/db` by the operator, which took 10 ms. */
export function madeCall(at: number, changes: Partial<RecordedAdmission> = {}): RecordedAdmission {
  return {
    type: "webhook",
    at: timeOf(at),
    seconds: 0.01,
    call: "mutating",
    uid: `call ${at}`,
    configuration: "shop",
    webhook: "mmysql.kb.io",
    resource: "mysqls.shop.example",
    operation: "UPDATE",
    subresource: "",
    key: "default/db",
    dryRun: false,
    by: operator,
    object: madeObject({}),
    oldObject: madeObject({}),
    failurePolicy: "Fail",
    ignored: false,
    answer: { allowed: true },
    ...changes,
  };
}

/** Returns the findings of a record. */
export function find(recorded: readonly Recorded[], now?: number): readonly Finding[] {
  const findings = new Findings();
  for (const one of recorded) findings.add(one);
  return findings.list(now);
}

/** Makes one record for each index below a count. */
export function each<Of>(count: number, make: (index: number) => Of): Of[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
