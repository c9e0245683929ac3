import { invalid, notSupported } from "@tsbuilder/apimachinery/errors";
import type { DeleteOptions } from "@tsbuilder/apimachinery/k8s/meta/v1";
import { DecodeError, decodeBuiltIn, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { type Reply, type RequestContext, isTrue, jsonReply } from "../http/request-context.ts";
import { StatusError, badRequest, invalidOptions } from "../contract/status-error.ts";
import { explainJSON } from "../codec/go-json.ts";
import { mediaTypeOf, parseProtobuf, parseYAML } from "./read-object.ts";
import { type Target, writeWith, readDryRun } from "./target.ts";
import { readListOptions } from "./list-options.ts";
import { listReply, readList } from "./list.ts";
import { pauseRegularly } from "../http/time-slices.ts";
import { deleteObject } from "../registry/delete-object.ts";
import { replyObject } from "./representation.ts";

/** Handles DELETE of an object. Responds with a Status, or with the object if finalizers or grace keep it. */
export async function handleDelete(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const write = writeWith(context, target, { dryRun: options.dryRun, options: options.raw });
  warnOfDeletion(context, target, options);
  const { gone, entry } = await deleteObject(write, options);
  if (!gone || target.resource.strategy.returnsDeleted)
    return replyObject(context, target, entry, options.orphanDependents === false ? 202 : 200);
  const { resource, name } = target;
  return jsonReply({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.plural,
      uid: entry.object.metadata.uid,
    },
  });
}

/** Handles DELETE of a collection: deletes the objects that a list would return, and responds with the list. */
export async function handleDeleteCollection(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const listOptions = readListOptions(context.query, target);
  warnOfDeletion(context, target, options);
  const list = await readList(target, listOptions);
  const write = writeWith(context, target, { dryRun: options.dryRun, options: options.raw });
  const entries = [];
  const pause = pauseRegularly();
  for (const entry of list.entries) {
    const { name, namespace } = entry.object.metadata;
    await pause();
    try {
      await deleteObject({ ...write, name: name!, namespace: namespace ?? "", ofCollection: true }, options);
      entries.push(entry);
    } catch (error) {
      // Another client has deleted the object meanwhile.
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
  return listReply(context, target, { ...list, entries });
}

/** The validated options of a deletion. */
interface ParsedDeleteOptions extends Omit<DeleteOptions, "dryRun"> {
  readonly dryRun: boolean;
  /** The options as the client sent them, for webhooks. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Adds the kind's warning about a deletion whose options leave the propagation policy to it. */
function warnOfDeletion({ warnings }: RequestContext, { resource }: Target, options: ParsedDeleteOptions) {
  const warning = resource.strategy.deletionWarning?.(options);
  if (warning) warnings.add(warning);
}

/** Reads delete options from the body, or from the query if there is no body. */
async function readDeleteOptions(context: RequestContext, target: Target): Promise<ParsedDeleteOptions> {
  const body = await context.request.readBody();
  const sent = body.length > 0 ? await decodeOptions(context, target, body) : readQuery(context.query);
  const { kind, apiVersion } = sent;
  if (kind && apiVersion && kind !== "DeleteOptions") {
    const registration = `kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw badRequest(`no ${registration} in scheme "pkg/runtime/scheme.go:111"`);
  }
  const dryRun = readDryRun(sent.dryRun ?? [], "DeleteOptions");
  checkPolicy(sent);
  const raw = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", ...sent };
  return { ...sent, dryRun, raw };
}

const propagationPolicies = ["Foreground", "Background", "Orphan"];

function checkPolicy({ propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (propagationPolicy === undefined) return;
  const field = "propagationPolicy";
  if (orphanDependents !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    throw invalidOptions("DeleteOptions", invalid(field, propagationPolicy, detail));
  }
  if (propagationPolicies.includes(propagationPolicy)) return;
  throw invalidOptions(
    "DeleteOptions",
    notSupported(field, propagationPolicy, [...propagationPolicies, "nil"]),
  );
}

async function decodeOptions(context: RequestContext, target: Target, body: Buffer): Promise<DeleteOptions> {
  const mediaType = mediaTypeOf(context);
  // Go's typed clients send options in protobuf, for custom resources too.
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    return (await parseProtobuf(body, target)) as DeleteOptions;
  }
  const text = body.toString("utf8");
  try {
    const value: unknown = mediaType === "application/yaml" ? parseYAML(text, target) : JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new TypeError("not an object");
    const options = withoutNulls(await checkTypes(value as Record<string, unknown>));
    if (options.preconditions) options.preconditions = withoutNulls(options.preconditions);
    return options;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${explainJSON(text)}`);
  }
}

/** Returns the options. Throws a 400 if a field has a wrong type. */
async function checkTypes(sent: Record<string, unknown>): Promise<DeleteOptions> {
  const schema = (await loadSchemas("meta/v1"))!.get("DeleteOptions")!;
  try {
    decodeBuiltIn(sent, schema);
    return sent;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

/** Removes nulls, which Go reads as absent fields. */
function withoutNulls<T extends object>(sent: T): T {
  const entries = Object.entries(sent).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as T;
}

function readQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const orphan = query.get("orphanDependents");
  if (grace !== null && !/^-?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(query.has("dryRun") && { dryRun: query.getAll("dryRun") }),
  };
}
