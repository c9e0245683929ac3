import { X509Certificate } from "node:crypto";
import type { WebhookPost, WebhookReply } from "@tsbuilder/cluster";
import { splitBundle } from "@tsbuilder/apimachinery/certs";
import type { Random } from "../random.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { Recorder } from "./records.ts";
import type { Replica } from "./replica.ts";
import type { EventLoop } from "./virtual-time.ts";

/** The parts of the world that a call of a webhook depends on. */
interface WebhookContext {
  readonly replicas: readonly Replica[];
  readonly webhookRandom: Random;
  readonly recorder: Recorder;
  readonly loop: EventLoop;
  readonly faults: FaultPlan;
  /** The API server's date, by which it checks certificates. */
  readonly date: number;
}

/** Brings a call of the API server to one of the processes that serve the path, as a Service does. */
export async function callWebhook(world: WebhookContext, post: WebhookPost): Promise<WebhookReply> {
  const path = new URL(post.path, "http://webhook").pathname;
  const replica = chosen(world, path);
  const { recorder } = world;
  try {
    if (!replica) throw new Error("connect: connection refused");
    const reply = await answerOf(world, replica, path, post);
    recorder.add({ type: "webhook", process: replica.name, path, status: reply.code });
    return reply;
  } catch (error) {
    if (error instanceof DistrustError)
      recorder.add({
        type: "log",
        process: "cluster",
        level: "error",
        message: `${replica!.name}: ${error.message}`,
      });
    else recorder.add({ type: "webhook", process: replica?.name, path, status: 0 });
    throw error;
  }
}

function chosen({ replicas, webhookRandom }: WebhookContext, path: string): Replica | undefined {
  const serving = replicas.filter(({ webhooks }) => webhooks?.paths.includes(path));
  return serving.length === 0 ? undefined : webhookRandom.pick(serving);
}

/** Returns a process's reply. Rejects if the process dies, or when the API server's timeout is over. */
function answerOf(
  world: WebhookContext,
  replica: Replica,
  path: string,
  post: WebhookPost,
): Promise<WebhookReply> {
  const { loop, faults } = world;
  const fault = faults.webhookFault(replica.operator.name, loop.now);
  const isLost = (fault && fault.delay === undefined) || faults.isCut(replica.name, loop.now);
  const abort = new AbortController();
  return new Promise<WebhookReply>((resolve, reject) => {
    const end = (settle: () => void): void => {
      cancel();
      replica.calls.delete(lose);
      settle();
    };
    const lose = (): void => end(() => reject(new Error("EOF")));
    const cancel = loop.after(post.timeoutSeconds * 1000, () => {
      replica.run(() => abort.abort(new DOMException("the API server waits no longer", "TimeoutError")));
      end(() => reject(new Error("context deadline exceeded")));
    });
    replica.calls.add(lose);
    if (isLost) return;
    const { webhooks } = replica;
    loop.after(replica.latency() + (fault?.delay ?? 0), () =>
      replica.run(() => {
        if (!replica.calls.has(lose)) return;
        const distrust = distrustOf(webhooks!.certificate(), post.config, world.date);
        if (distrust !== undefined) return end(() => reject(new DistrustError(distrust)));
        const call = { path, body: JSON.parse(post.body) as unknown, signal: abort.signal };
        void webhooks!.answer(call).then(({ status, body }) => {
          const reply = { code: status, text: JSON.stringify(body) };
          loop.after(replica.latency(), () => end(() => resolve(reply)));
        });
      }),
    );
  });
}

/** The API server doesn't trust the certificate of a webhook. */
class DistrustError extends Error {
  constructor(reason: string) {
    super(`tls: failed to verify certificate: x509: ${reason}`);
  }
}

/**
 * Returns the reason why the API server doesn't trust a webhook's certificate; undefined if it does, or if the operator
 * doesn't manage the certificate itself.
 */
export function distrustOf(
  pem: string | undefined,
  { caBundle = "", service }: WebhookPost["config"],
  date: number,
): string | undefined {
  if (pem === undefined) return undefined;
  const certificate = new X509Certificate(pem);
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean =>
    Date.parse(validFrom) <= date && date <= Date.parse(validTo);
  if (!isValid(certificate)) return "certificate has expired or is not yet valid";
  const bundle = Buffer.from(caBundle, "base64").toString("utf8");
  const authorities = splitBundle(bundle).map((ca) => new X509Certificate(ca));
  if (!authorities.some((ca) => isValid(ca) && certificate.verify(ca.publicKey)))
    return "certificate signed by unknown authority";
  const host = service && `${service.name}.${service.namespace}.svc`;
  return host === undefined || certificate.checkHost(host) !== undefined
    ? undefined
    : `certificate is not valid for ${host}`;
}
