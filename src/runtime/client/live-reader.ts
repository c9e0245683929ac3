import { Duplex } from "node:stream";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Kind, KubernetesList, KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import { execute } from "../containers/exec.ts";
import { logLines, readLog } from "../containers/log-lines.ts";
import type {
  ExecOptions,
  ExecResult,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
} from "../containers/options.ts";
import { ApiError } from "../errors/api-error.ts";
import type { HttpTransport } from "../http/http-transport.ts";
import { JsonLines, malformedResponse, parseResponse } from "../http/json-body.ts";
import type { CallOptions, RawRequest, RawResponse, WebSocketConnection } from "../http/transport.ts";
import { Pod } from "../k8s/core/v1.ts";
import { currentCallContext } from "../scope/scope.ts";
import type {
  ClientDefaults,
  Containers,
  ListOptions,
  NamespacedName,
  ObjectKey,
  ObjectRef,
  PageOptions,
  ReadOptions,
  UncheckedRef,
  Reader,
  Stored,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import { formatKey, keyOf } from "./client.ts";
import { acceptOf } from "./metadata-only.ts";
import { namespaceOf, resourcePath, selectionQuery } from "./requests.ts";
import { isOwnedBy } from "./tracked-children.ts";
import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { pipeline } from "node:stream/promises";
import { callSafely, warnOf } from "../callbacks/callbacks.ts";
import { onAbort } from "../clock/waits.ts";

/**
 * The reads of a live client, and what its writes share with them. Its members are protected by type only: a wrapper
 * made by `Object.create(client)` or a proxy has no access to `#` members.
 */
export class LiveReader implements Reader {
  protected readonly transport: HttpTransport;
  /** Defaults for each call. */
  readonly defaults: ClientDefaults;

  constructor(transport: HttpTransport, defaults: ClientDefaults) {
    this.transport = transport;
    this.defaults = defaults;
  }

  /** Returns undefined while callers may go on in this turn of the event loop, afterwards a promise to await. */
  pause(): Promise<void> | undefined {
    return this.transport.slices?.pause();
  }

  request(request: RawRequest): Promise<RawResponse> {
    const { method = "GET" } = request;
    const send = () => this.transport.send(this.withSignal(request));
    const beforeWrite = method === "GET" ? undefined : currentCallContext()?.beforeWrite;
    return beforeWrite ? beforeWrite().then(send) : send();
  }

  async find<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: NoInfer<Key>,
    options?: ReadOptions,
  ): Promise<Stored<T, Key> | undefined> {
    try {
      return await this.get(kind, key, options);
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  async get<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: NoInfer<Key>,
    options: ReadOptions = {},
  ): Promise<Stored<T, Key>> {
    return await this.object(kind, { path: this.path(kind, key), signal: options.signal });
  }

  async list<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    options: ListOptions = {},
  ): Promise<Stored<T, Key>[]> {
    const { limit = Infinity, owner, ...selection } = options;
    const objects: Stored<T, Key>[] = [];
    // The server can't select by owner, so that the first objects of a list may all be of others.
    const pageSize = owner ? 500 : Math.min(limit, 500);
    for await (const page of this.pages(kind, { ...selection, pageSize })) {
      const items = owner ? page.items.filter((object) => isOwnedBy(owner, object)) : page.items;
      objects.push(...items.map(asStored<T, Key>));
      if (objects.length >= limit) return objects.slice(0, limit);
    }
    return objects;
  }

  pages<T extends KubernetesObject>(
    kind: Kind<T>,
    options: PageOptions = {},
  ): AsyncIterable<KubernetesList<T>> {
    const path = resourcePath(kind, { namespace: namespaceOf(kind, this.defaults, options.namespace) });
    return listPages(kind, path, options, (request) =>
      this.request({ ...request, headers: acceptOf(kind, "PartialObjectMetadataList") }),
    );
  }

  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    const { resourceVersion, bookmarks, timeoutSeconds, signal } = options;
    return watchEvents<T>(() =>
      this.request({
        path: resourcePath(kind, { namespace: namespaceOf(kind, this.defaults, options.namespace) }),
        query: {
          watch: true,
          resourceVersion,
          allowWatchBookmarks: bookmarks || undefined,
          timeoutSeconds,
          ...selectionQuery(options),
        },
        headers: acceptOf(kind, "PartialObjectMetadata"),
        stream: true,
        signal,
      }),
    );
  }

  protected async object<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    request: RawRequest,
  ): Promise<Stored<T, Key>> {
    const headers = { ...request.headers, ...acceptOf(kind, "PartialObjectMetadata") };
    const { text } = await this.request({ ...request, headers });
    const object = parseResponse(text, `${request.method ?? "GET"} ${request.path}`) as T;
    // The answer to a dry run that would create the object has no version, and a review need not have any metadata.
    const { metadata } = object as Partial<KubernetesObject>;
    if (metadata) metadata.resourceVersion ??= "";
    return asStored(object);
  }

  protected path(kind: Kind, ref: UncheckedRef, subresource?: string): string {
    return resourcePath(kind, { ...this.key(kind, ref), ...(subresource !== undefined && { subresource }) });
  }

  protected key(kind: Kind, ref: UncheckedRef): ObjectKey {
    const { name, namespace } = keyOf(ref);
    return { name, namespace: namespaceOf(kind, this.defaults, namespace) };
  }

  /** The options of a call, with the signal that it inherits. */
  protected withSignal<Options extends CallOptions>(options: Options): Options {
    const signal = options.signal ?? currentCallContext()?.signal ?? this.defaults.signal;
    return signal === options.signal ? options : { ...options, signal };
  }

  /** The options of a write, with the client's defaults for those that the call omits. */
  protected write<Options extends WriteOptions>(options: Options | undefined): Options & ClientDefaults {
    const { fieldManager, fieldValidation, dryRun } = this.defaults;
    return {
      ...(options as Options),
      fieldManager: options?.fieldManager ?? fieldManager,
      fieldValidation: options?.fieldValidation ?? fieldValidation,
      dryRun: options?.dryRun ?? dryRun,
    };
  }
}

/** Reads a list page by page, with one request per page. */
async function* listPages<T extends KubernetesObject>(
  kind: Kind<T>,
  path: string,
  options: PageOptions,
  send: (request: RawRequest) => Promise<RawResponse>,
): AsyncGenerator<KubernetesList<T>> {
  const { pageSize = 500, resourceVersion, resourceVersionMatch, signal } = options;
  let token = options.continue;
  do {
    // A continue token includes its version; the server rejects requests with both.
    const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
    const query = { limit: pageSize, ...version, ...selectionQuery(options) };
    const { text } = await send({ path, query, signal });
    const page = parseResponse(text, `GET ${path}`) as KubernetesList<T>;
    page.items ??= [];
    if (![page.metadata, ...page.items].every(isObject)) throw malformedResponse(text, `GET ${path}`);
    for (const item of page.items) completeItem(kind, item);
    yield page;
    token = page.metadata.continue || undefined;
  } while (token !== undefined);
}

/** Sets apiVersion and kind, which lists of built-in kinds omit in their items. */
function completeItem(kind: Kind, item: KubernetesObject): void {
  item.apiVersion ??= kind.apiVersion;
  item.kind ??= kind.kind;
}

/** Opens a watch and yields its events; leaving the loop closes the connection. */
async function* watchEvents<T extends KubernetesObject>(
  open: () => Promise<RawResponse>,
): AsyncGenerator<WatchEvent<T>> {
  const { stream } = await open();
  if (!stream) return;
  const lines = new JsonLines();
  try {
    for await (const chunk of stream) {
      for (const line of lines.push(chunk as Buffer)) {
        const event = parseResponse(line, "watch") as WatchEvent<T> | { type: "ERROR"; object: Status };
        if (event.type === "ERROR") throw new ApiError(event.object);
        yield event;
      }
    }
  } finally {
    stream.destroy();
  }
}

/** Adds the calls into containers; see `Containers` for the contract of each. */
export class LiveContainers extends LiveReader implements Containers {
  logs(pod: ObjectRef<NamespacedName>, options: LogOptions = {}): LogLines {
    const path = this.path(Pod, pod, "log");
    return logLines(() => readLog(path, options, (request) => this.request(request)));
  }

  async exec(
    pod: ObjectRef<NamespacedName>,
    command: readonly string[],
    options: ExecOptions = {},
  ): Promise<ExecResult> {
    const path = this.path(Pod, pod, "exec");
    return execute(path, command, this.withSignal(options), (request) => this.request(request));
  }

  async openPort(pod: ObjectRef<NamespacedName>, port: number, options: CallOptions = {}): Promise<Duplex> {
    const path = this.path(Pod, pod, "portforward");
    return openPort(path, port, options.signal, (request) => this.request(request));
  }

  async portForward(
    pod: ObjectRef<NamespacedName>,
    port: number,
    options: PortForwardOptions = {},
  ): Promise<PortForward> {
    const { signal, ...others } = this.withSignal(options);
    const { status = {} } = await this.get(Pod, keyOf(pod), { signal });
    if (status.phase !== "Running") throw notRunning(formatKey(this.key(Pod, pod)), status.phase);
    return listenFor(() => this.openPort(pod, port, { signal }), { signal, ...others });
  }
}

function notRunning(pod: string, phase = "Pending"): ApiError {
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `the pod ${pod} is ${phase}: its ports can be forwarded while it runs`,
  });
}

/** Returns true if an object doesn't exist. A 404 without a name means that the server doesn't know the kind. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof ApiError && error.isNotFound && error.body.details?.name !== undefined;
}

/** The type of an object that the server has answered with. */
export function asStored<T extends KubernetesObject, Key extends ObjectKey>(object: T): Stored<T, Key> {
  return object as unknown as Stored<T, Key>;
}

const host = "127.0.0.1";

/** Listens on the loopback interface, and joins each connection to a new one of `open`; see `Containers.portForward`. */
async function listenFor(
  open: () => Promise<Duplex>,
  { localPort = 0, onError, signal }: PortForwardOptions,
): Promise<PortForward> {
  signal?.throwIfAborted();
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    joinSockets(socket, open).catch((error: unknown) => {
      if (server.listening) callSafely(() => onError?.(error as Error), warnOf("the onError of portForward"));
    });
  });
  server.listen(localPort, host);
  await once(server, "listening");
  const end = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const forget = onAbort(signal, end);
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async close() {
      forget();
      if (!server.listening) return;
      const closed = once(server, "close");
      end();
      await closed;
    },
  };
}

async function joinSockets(local: Socket, open: () => Promise<Duplex>): Promise<void> {
  // A socket may emit an error while it waits.
  local.on("error", () => {});
  const remote = await open().catch((error: unknown) => {
    local.destroy();
    throw error;
  });
  try {
    local.pipe(remote);
    await pipeline(remote, local);
  } catch (error) {
    // Other errors mean that the local program closed its connection, which is not a failure of the port.
    if (error instanceof ApiError) throw error;
  } finally {
    remote.destroy();
    local.destroy();
  }
}

/**
 * The oldest version, which all kubelets and container runtimes know. Ending one direction ends both. The newer version
 * tunnels SPDY and needs Kubernetes 1.31, and container runtimes end both directions there, too.
 */
const protocol = "v4.channel.k8s.io";

/** Opens a connection to a port of a pod, as a stream; see `Containers.openPort`. */
async function openPort(
  path: string,
  port: number,
  signal: AbortSignal | undefined,
  send: (request: RawRequest) => Promise<RawResponse>,
): Promise<Duplex> {
  const { webSocket } = await send({ path, query: { ports: port }, webSocket: [protocol], signal });
  return new PortStream(webSocket!, `GET ${path}`);
}

/** The first byte of a message says what it carries. */
const channels = { data: 0, error: 1 };

/** A stream over a WebSocket. */
class PortStream extends Duplex {
  readonly #socket: WebSocketConnection;
  #wake = (): void => {};

  constructor(socket: WebSocketConnection, request: string) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#receive(request).then(
      () => this.push(null),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _read(): void {
    this.#wake();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(channels.data), chunk])).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy(error ?? undefined);
    this.#wake();
    done(error);
  }

  async #receive(request: string): Promise<void> {
    /** The channels whose first message, which only repeats the port, has arrived. */
    const begun = new Set<number>();
    for await (const message of this.#socket) {
      const channel = message[0]!;
      const content = message.subarray(1);
      if (!begun.has(channel)) begun.add(channel);
      else if (channel === channels.error)
        throw new ApiError({ message: content.toString("utf8") }, { request });
      else if (!this.push(content)) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
