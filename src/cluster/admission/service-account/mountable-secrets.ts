import type { EnvFromSource, EnvVar, PodSpec, ServiceAccount } from "@tsbuilder/apimachinery/k8s/core/v1";

/** The annotation of an account whose pods may use no Secrets but those that it lists. */
const annotation = "kubernetes.io/enforce-mountable-secrets";

/** What Go's strconv.ParseBool reads as true. */
const trueTexts = new Set(["1", "t", "T", "true", "TRUE", "True"]);

export function limitsSecrets({ metadata }: ServiceAccount): boolean {
  return trueTexts.has(metadata.annotations?.[annotation] ?? "");
}

/** What any kind of container takes from Secrets. */
interface UsesSecrets {
  readonly name: string;
  readonly env?: readonly EnvVar[] | undefined;
  readonly envFrom?: readonly EnvFromSource[] | undefined;
}

/** Why an account that limits Secrets refuses a pod. */
export function* refusedSecrets(account: ServiceAccount, spec: PodSpec): Generator<string> {
  const mountable = namesOf(account.secrets);
  for (const { secret } of spec.volumes ?? []) {
    const name = secret?.secretName ?? "";
    if (secret && !mountable.has(name)) yield `volume with secret.secretName="${name}" ${absent(account)}`;
  }
  yield* refusedIn(account, "init container", spec.initContainers);
  yield* refusedIn(account, "container", spec.containers);
  const pulled = namesOf(account.imagePullSecrets);
  for (const [index, { name = "" }] of (spec.imagePullSecrets ?? []).entries()) {
    if (pulled.has(name)) continue;
    yield `imagePullSecrets[${index}].name="${name}" ${absent(account, "imagePullSecret")}`;
  }
}

/** Why it refuses new ephemeral containers. */
export function refusedEphemeralSecrets(account: ServiceAccount, spec: PodSpec): Generator<string> {
  return refusedIn(account, "ephemeral container", spec.ephemeralContainers);
}

function* refusedIn(
  account: ServiceAccount,
  what: string,
  containers: readonly UsesSecrets[] = [],
): Generator<string> {
  const mountable = namesOf(account.secrets);
  for (const container of containers) {
    const subject = `${what} ${container.name}`;
    for (const { name: variable, valueFrom } of container.env ?? []) {
      const name = valueFrom?.secretKeyRef?.name ?? "";
      if (!valueFrom?.secretKeyRef || mountable.has(name)) continue;
      yield `${subject} with envVar ${variable} referencing secret.secretName="${name}" ${absent(account)}`;
    }
    for (const { secretRef } of container.envFrom ?? []) {
      const name = secretRef?.name ?? "";
      if (!secretRef || mountable.has(name)) continue;
      yield `${subject} with envFrom referencing secret.secretName="${name}" ${absent(account)}`;
    }
  }
}

function namesOf(list: readonly { readonly name?: string | undefined }[] = []): ReadonlySet<string> {
  return new Set(list.map(({ name = "" }) => name));
}

function absent({ metadata }: ServiceAccount, what = "secret"): string {
  return `is not allowed because service account ${metadata.name} does not reference that ${what}`;
}
