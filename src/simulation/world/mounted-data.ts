import { isEqual } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ConfigMap, Container, Pod, Secret, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { PodName, Pods } from "../contract/external.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";
import type { World } from "./world.ts";

/** The least and the most milliseconds between two times that a kubelet refreshes the files of a pod. */
const refreshPeriods = [60_000, 90_000] as const;

type Kind = "secrets" | "configmaps";
type Data = Secret | ConfigMap;

/** The keys of a Secret or ConfigMap that a volume or a container takes. */
interface Source {
  readonly kind: Kind;
  readonly name: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[] | undefined;
}

/**
 * What containers see of Secrets and ConfigMaps. Files are refreshed when the kubelet next looks at the pod; files of a
 * `subPath` and environment variables stay as they were. A pod keeps the files of an object that is deleted.
 */
export class MountedData implements Pods {
  readonly #world: World;
  readonly #random: Random;
  /** The versions of each object that changed in the run, as `secrets default/db`. */
  readonly #versions = new Map<string, { readonly since: number; readonly object: Data }[]>();
  /** The times at which a pod's containers were first started, by uid, and at which each was last started, by uid and name. */
  readonly #starts = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork("mounted data");
  }

  /** Notes a change of an object of the cluster. */
  note(resource: string, key: string, object: KubernetesObject, before: KubernetesObject | undefined): void {
    const since = this.#world.loop.now;
    if (resource === "pods") this.#noteStarts(object, before, since);
    if (resource !== "secrets" && resource !== "configmaps") return;
    const name = `${resource} ${key}`;
    const versions = this.#versions.get(name) ?? (before ? [{ since: -Infinity, object: before }] : []);
    versions.push({ since, object });
    this.#versions.set(name, versions);
  }

  #noteStarts({ metadata: { uid = "" }, status }: Pod, before: Pod | undefined, now: number): void {
    const startsOf = (of: Pod["status"]) =>
      new Map(
        of?.containerStatuses?.map(({ name, restartCount, state }) => [name, state?.running && restartCount]),
      );
    const former = startsOf(before?.status);
    for (const [name, restart] of startsOf(status)) {
      if (restart === undefined || former.get(name) === restart) continue;
      this.#starts.set(`${uid} ${name}`, now);
      if (!this.#starts.has(uid)) this.#starts.set(uid, now);
    }
  }

  readFile(name: PodName, path: string): string | undefined {
    const pod = this.#find(name);
    const start = this.#starts.get(pod?.metadata.uid ?? "");
    if (!pod || start === undefined) return undefined;
    const mounts = containersOf(pod, name).flatMap(({ volumeMounts = [] }) => volumeMounts);
    for (const { name: volumeName, mountPath, subPath } of mounts) {
      if (path !== mountPath && !path.startsWith(`${mountPath.replace(/\/$/, "")}/`)) continue;
      const below = path.slice(mountPath.length).replace(/^\//, "");
      const relative = [subPath, below].filter(Boolean).join("/");
      const time = subPath === undefined ? this.#lastRefresh(pod, start) : start;
      for (const { kind, name: of, items } of sourcesOf(
        pod.spec?.volumes?.find((each) => each.name === volumeName),
      )) {
        const key = items ? items.find((item) => item.path === relative)?.key : relative;
        const content = key && valueIn(this.#versionAt(kind, name.namespace, of, time), key);
        if (key && content !== undefined) return content;
      }
    }
    return undefined;
  }

  readEnv(name: PodName, variable: string): string | undefined {
    const pod = this.#find(name);
    const [container] = pod ? containersOf(pod, name) : [];
    const start = this.#starts.get(`${pod?.metadata.uid} ${container?.name}`);
    if (!container || start === undefined) return undefined;
    const valueOf = (kind: Kind, of: string | undefined, key: string): string | undefined =>
      valueIn(this.#versionAt(kind, name.namespace, of ?? "", start), key);
    const own = container.env?.find((each) => each.name === variable);
    const { secretKeyRef, configMapKeyRef } = own?.valueFrom ?? {};
    if (secretKeyRef) return valueOf("secrets", secretKeyRef.name, secretKeyRef.key);
    if (configMapKeyRef) return valueOf("configmaps", configMapKeyRef.name, configMapKeyRef.key);
    if (own) return own.value ?? "";
    for (const { prefix = "", secretRef, configMapRef } of container.envFrom?.toReversed() ?? []) {
      if (!variable.startsWith(prefix)) continue;
      const key = variable.slice(prefix.length);
      const value = secretRef
        ? valueOf("secrets", secretRef.name, key)
        : valueOf("configmaps", configMapRef?.name, key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /**
   * Returns the variables that the containers of a pod have from ConfigMaps, of those that `isOwn` names, and that would have other
   * values if the containers were started now. A ConfigMap that is as it was before they were started was changed and changed
   * back: an operator that takes its hash for its version may not have noticed.
   */
  outdatedVariables(pod: Pod, isOwn: (map: KubernetesObject) => boolean): string[] {
    return (pod.spec?.containers ?? []).flatMap(({ name: container, env = [], envFrom = [] }) => {
      const start = this.#starts.get(`${pod.metadata.uid} ${container}`);
      const changed = (name = ""): string[] => {
        const key = `${pod.metadata.namespace}/${name}`;
        const now = this.#world.cluster.core.store.collection("configmaps").get(key)?.object as
          | Data
          | undefined;
        const versions = this.#versions.get(`configmaps ${key}`) ?? [];
        const earlier = versions.filter(({ since }) => start !== undefined && since <= start);
        const then = earlier.pop()?.object;
        if (!now || !then || !isOwn(now) || earlier.some(({ object }) => isEqual(object.data, now.data)))
          return [];
        const keys = Object.keys({ ...then.data, ...now.data });
        return keys.filter((one) => then.data?.[one] !== now.data?.[one]);
      };
      const named = env.flatMap(({ name, valueFrom: { configMapKeyRef: of } = {} }) =>
        of && changed(of.name).includes(of.key) ? [name] : [],
      );
      const all = envFrom.flatMap(({ prefix = "", configMapRef: of }) =>
        of ? changed(of.name).map((key) => `${prefix}${key}`) : [],
      );
      return [...named, ...all.filter((variable) => !env.some(({ name }) => name === variable))];
    });
  }

  #find({ namespace, pod }: PodName): Pod | undefined {
    return this.#world.cluster.core.store.collection("pods").get(`${namespace}/${pod}`)?.object;
  }

  /** Returns the time at which the kubelet last refreshed the files of a pod, which it does for each at times of its own. */
  #lastRefresh({ metadata: { uid = "" } }: Pod, start: number): number {
    const period = this.#random.fork(uid).integer(...refreshPeriods);
    return start + Math.floor((this.#world.loop.now - start) / period) * period;
  }

  #versionAt(kind: Kind, namespace: string, name: string, time: number): Data | undefined {
    const versions = this.#versions.get(`${kind} ${namespace}/${name}`);
    if (versions) return versions.findLast(({ since }) => since <= time)?.object;
    return this.#world.cluster.core.store.collection(kind).get(`${namespace}/${name}`)?.object;
  }
}

/** Returns the containers of a pod, or the one that is named. */
function containersOf({ spec }: Pod, { container }: PodName): readonly Container[] {
  return (spec?.containers ?? []).filter(({ name }) => container === undefined || name === container);
}

/** Returns the Secrets and ConfigMaps in a volume; none for a volume of another type. */
function sourcesOf({ secret, configMap, projected }: Partial<Volume> = {}): Source[] {
  return [
    ...(secret ? [{ kind: "secrets" as const, name: secret.secretName ?? "", items: secret.items }] : []),
    ...(configMap
      ? [{ kind: "configmaps" as const, name: configMap.name ?? "", items: configMap.items }]
      : []),
    ...(projected?.sources ?? []).flatMap((source): Source[] => [
      ...(source.secret
        ? [{ kind: "secrets" as const, name: source.secret.name ?? "", items: source.secret.items }]
        : []),
      ...(source.configMap
        ? [{ kind: "configmaps" as const, name: source.configMap.name ?? "", items: source.configMap.items }]
        : []),
    ]),
  ];
}

/** Returns the value of a key, as text. */
function valueIn(object: Data | undefined, key: string): string | undefined {
  if (!object) return undefined;
  const { data = {} } = object;
  const encoded = object.kind === "Secret" ? data[key] : (object as ConfigMap).binaryData?.[key];
  return encoded === undefined ? data[key] : Buffer.from(encoded, "base64").toString();
}
