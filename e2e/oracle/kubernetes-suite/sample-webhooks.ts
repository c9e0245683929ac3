import { setTimeout as delay } from "node:timers/promises";

/** The parts of an AdmissionRequest that the samples read. */
export interface AdmissionRequest {
  readonly operation: string;
  readonly name?: string;
  readonly object?: Reviewed | null;
  readonly oldObject?: Reviewed | null;
}

interface Reviewed {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] };
  readonly container?: string;
  readonly stdin?: boolean;
}

/** A decision: why a request is refused, or how its object changes. */
interface Decision {
  readonly refusal?: { readonly message?: string; readonly reason?: string } | undefined;
  readonly patch?: readonly object[];
}

type Webhook = (request: AdmissionRequest) => Decision | Promise<Decision>;

/** Does what the webhooks in the suite's image `agnhost` do, by path: the suite expects these words and patches. */
const webhooks: Readonly<Record<string, Webhook>> = {
  "/always-allow-delay-5s": () => delay(5000, {}),
  "/always-deny": () => ({ refusal: { message: "this webhook denies all requests" } }),
  "/add-label": ({ object }) => ({ patch: labelPatch(object?.metadata?.labels) }),
  "/pods": ({ object }) => decideOnPod(object ?? {}),
  "/pods/attach": ({ name, object }) =>
    name === "to-be-attached-pod" && object?.stdin && object.container === "container1"
      ? { refusal: { message: "attaching to pod 'to-be-attached-pod' is not allowed" } }
      : {},
  "/mutating-pods": ({ object }) => ({
    patch: object?.metadata?.name === "webhook-to-be-mutated" ? [addInitContainer] : [],
  }),
  "/configmaps": (request) => decideOnData(request, "the configmap", "unwanted key and value"),
  "/mutating-configmaps": mutateData,
  "/custom-resource": (request) => decideOnData(request, "the custom resource", "unwanted data"),
  "/mutating-custom-resource": mutateData,
  "/crd": ({ object }) =>
    object?.metadata?.labels?.[mark] === "webhook-disallow"
      ? { refusal: { message: "the crd contains unwanted label" } }
      : {},
};

const mark = "webhook-e2e-test";

const addInitContainer = {
  op: "add",
  path: "/spec/initContainers",
  value: [{ image: "webhook-added-image", name: "webhook-added-init-container", resources: {} }],
};

/** The response of the webhook with this path, without the request's uid. */
export async function answerReview(path: string, request: AdmissionRequest): Promise<object> {
  const { refusal, patch = [] } = (await webhooks[path]?.(request)) ?? {
    refusal: { message: `no webhook at ${path}` },
  };
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  return {
    allowed: refusal === undefined,
    ...(refusal && { status: refusal }),
    ...(patch.length > 0 && { patchType: "JSONPatch", patch: encoded }),
  };
}

function labelPatch(labels: Readonly<Record<string, string>> = {}): object[] {
  if (Object.keys(labels).length === 0)
    return [{ op: "add", path: "/metadata/labels", value: { "added-label": "yes" } }];
  return labels["added-label"] === "yes"
    ? []
    : [{ op: "add", path: "/metadata/labels/added-label", value: "yes" }];
}

function decideOnPod({ metadata, spec }: Reviewed): Decision | Promise<Decision> {
  const label = metadata?.labels?.[mark];
  if (label === "wait-forever") return new Promise(() => undefined);
  const problems = [
    ...(label === "webhook-disallow" ? ["the pod contains unwanted label;"] : []),
    ...(spec?.containers ?? [])
      .filter(({ name }) => name.includes("webhook-disallow"))
      .map(() => "the pod contains unwanted container name;"),
  ];
  return problems.length > 0 ? { refusal: { message: problems.join(" ") } } : {};
}

function decideOnData(
  { operation, object, oldObject }: AdmissionRequest,
  what: string,
  data: string,
): Decision {
  if (operation === "DELETE") {
    const reason = `${what} cannot be deleted because it contains unwanted key and value`;
    return oldObject?.data?.[mark] === "webhook-nondeletable" ? { refusal: { reason } } : {};
  }
  const reason = `${what} contains ${data}`;
  return object?.data?.[mark] === "webhook-disallow" ? { refusal: { reason } } : {};
}

function mutateData({ object }: AdmissionRequest): Decision {
  const stage = (number: number): object => ({
    op: "add",
    path: `/data/mutation-stage-${number}`,
    value: "yes",
  });
  if (object?.data?.["mutation-stage-1"] === "yes") return { patch: [stage(2)] };
  return { patch: object?.data?.["mutation-start"] === "yes" ? [stage(1)] : [] };
}
