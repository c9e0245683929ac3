import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Takes what a command writes. */
export interface CommandOutput {
  /** Resolves when more can be taken. */
  write(chunk: Buffer): Promise<void>;
  /** The command has ended. Resolves with what is left for its result. */
  end(): Promise<string>;
  fail(error: Error): void;
}

/** Passes the output on to a stream, or collects it. */
export function outputTo(stream: Writable | undefined): CommandOutput {
  return stream ? passOn(stream) : collect();
}

function collect(): CommandOutput {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk) => void chunks.push(chunk),
    end: async () => Buffer.concat(chunks).toString("utf8"),
    fail: () => {},
  };
}

function passOn(stream: Writable): CommandOutput {
  const source = new PassThrough();
  // The streams of this process can't be ended.
  const end = stream !== process.stdout && stream !== process.stderr;
  const passed = pipeline(source, stream, { end });
  // Whoever writes or ends gets the error.
  passed.catch(() => {});
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        source.write(chunk, (error) => {
          if (error) void passed.catch(reject);
          else resolve();
        });
      }),
    async end() {
      source.end();
      await passed;
      return "";
    },
    fail: (error) => void source.destroy(error),
  };
}
