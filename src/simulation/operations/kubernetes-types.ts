import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { itemsOf, type JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { loadNewObjectCheck, type NewObjectCheck } from "@tsbuilder/cluster";
import { type Path, pathText, placesOf, withValue } from "./places.ts";

/** A type of Kubernetes that stands in the specs of many kinds, and the object in which the API server checks its values. */
interface KnownType {
  /** The properties by which a schema is known to be of the type, and what they hold. */
  readonly properties: Readonly<Record<string, JSONSchema["type"]>>;
  readonly isList?: boolean;
  readonly within: "Pod" | "Service" | "NetworkPolicy" | "PersistentVolumeClaim";
  readonly at: Path;
}

const container = ["spec", "containers", 0];

const knownTypes: readonly KnownType[] = [
  {
    properties: { name: "string", value: "string", valueFrom: "object" },
    isList: true,
    within: "Pod",
    at: [...container, "env"],
  },
  {
    properties: { prefix: "string", configMapRef: "object", secretRef: "object" },
    isList: true,
    within: "Pod",
    at: [...container, "envFrom"],
  },
  {
    properties: { containerPort: "integer", hostPort: "integer", protocol: "string" },
    isList: true,
    within: "Pod",
    at: [...container, "ports"],
  },
  {
    properties: { limits: "object", requests: "object", claims: "array" },
    within: "Pod",
    at: [...container, "resources"],
  },
  {
    properties: { exec: "object", httpGet: "object", tcpSocket: "object", periodSeconds: "integer" },
    within: "Pod",
    at: [...container, "livenessProbe"],
  },
  { properties: { postStart: "object", preStop: "object" }, within: "Pod", at: [...container, "lifecycle"] },
  {
    properties: { capabilities: "object", privileged: "boolean", runAsUser: "integer" },
    within: "Pod",
    at: [...container, "securityContext"],
  },
  {
    properties: { fsGroup: "integer", runAsUser: "integer", sysctls: "array" },
    within: "Pod",
    at: ["spec", "securityContext"],
  },
  {
    properties: { key: "string", operator: "string", effect: "string", tolerationSeconds: "integer" },
    isList: true,
    within: "Pod",
    at: ["spec", "tolerations"],
  },
  { properties: { nodeAffinity: "object", podAffinity: "object" }, within: "Pod", at: ["spec", "affinity"] },
  {
    properties: { maxSkew: "integer", topologyKey: "string", whenUnsatisfiable: "string" },
    isList: true,
    within: "Pod",
    at: ["spec", "topologySpreadConstraints"],
  },
  {
    properties: {
      name: "string",
      configMap: "object",
      secret: "object",
      emptyDir: "object",
      hostPath: "object",
    },
    isList: true,
    within: "Pod",
    at: ["spec", "volumes"],
  },
  {
    properties: { image: "string", command: "array", volumeMounts: "array" },
    isList: true,
    within: "Pod",
    at: ["spec", "containers"],
  },
  {
    properties: { containers: "array", initContainers: "array", nodeSelector: "object" },
    within: "Pod",
    at: ["spec"],
  },
  {
    properties: { port: "integer", nodePort: "integer" },
    isList: true,
    within: "Service",
    at: ["spec", "ports"],
  },
  {
    properties: { clusterIP: "string", ports: "array", sessionAffinity: "string" },
    within: "Service",
    at: ["spec"],
  },
  {
    properties: { matchLabels: "object", matchExpressions: "array" },
    within: "NetworkPolicy",
    at: ["spec", "podSelector"],
  },
  {
    properties: { accessModes: "array", storageClassName: "string", volumeMode: "string" },
    within: "PersistentVolumeClaim",
    at: ["spec"],
  },
];

/** Objects that are valid, in which values are put to be checked. */
const carriers: Readonly<
  Record<KnownType["within"], { readonly apiVersion: string; readonly spec: object }>
> = {
  Pod: { apiVersion: "v1", spec: { containers: [{ name: "main", image: "main" }] } },
  Service: { apiVersion: "v1", spec: { type: "NodePort", ports: [{ port: 80 }] } },
  NetworkPolicy: { apiVersion: "networking.k8s.io/v1", spec: { podSelector: {} } },
  PersistentVolumeClaim: {
    apiVersion: "v1",
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
};

/** Loads the validation of the objects that carry values of known types. */
export function loadKnownTypesCheck(): Promise<NewObjectCheck> {
  return loadNewObjectCheck(Object.values(carriers).map(({ apiVersion }) => apiVersion));
}

/**
 * Returns what finds the errors of the API server in values of its own types within an object, such as an `EnvVar` that has both
 * a value and a source: their schema admits more than their validation.
 */
export function knownTypesCheck(schema: JSONSchema, check: NewObjectCheck): (object: object) => FieldError[] {
  if (!hasKnownTypes(schema)) return () => [];
  const known = new Map<JSONSchema, KnownType | undefined>();
  // Objects share what doesn't change from one to the next.
  const found = new Map<KnownType, WeakMap<object, FieldError[]>>();
  return (object) =>
    placesOf(object, schema).flatMap(({ value, schema: inner, path }) => {
      if (!known.has(inner)) known.set(inner, knownTypeOf(inner));
      const type = known.get(inner);
      if (!type || typeof value !== "object" || value === null) return [];
      const ofType = found.get(type) ?? new WeakMap<object, FieldError[]>();
      const errors = ofType.get(value) ?? errorsOf(value, type, check);
      found.set(type, ofType.set(value, errors));
      return errors.map((error) => ({ ...error, field: `${pathText(path)}${error.field}` }));
    });
}

/** Returns the errors of a value, whose fields begin below it. */
function errorsOf(value: object, { within: kind, at }: KnownType, check: NewObjectCheck): FieldError[] {
  const start = pathText(at);
  const carrier = { ...withValue(carriers[kind], at, value), kind, metadata: { name: "carrier" } };
  return check(carrier as unknown as KubernetesObject)
    .filter(({ field }) => field.startsWith(start))
    .map((error) => ({ ...error, field: error.field.slice(start.length) }));
}

function hasKnownTypes(schema: JSONSchema): boolean {
  const inner = [...Object.values(schema.properties ?? {}), itemsOf(schema)];
  return knownTypeOf(schema) !== undefined || inner.some((one) => one !== undefined && hasKnownTypes(one));
}

function knownTypeOf(schema: JSONSchema): KnownType | undefined {
  const items = itemsOf(schema);
  const properties = (items ?? schema).properties;
  if (!properties) return undefined;
  return knownTypes.find(
    ({ properties: known, isList = false }) =>
      isList === (items !== undefined) &&
      Object.entries(known).every(([name, type]) => properties[name]?.type === type),
  );
}
