import { createHash } from "node:crypto";
import { pauseImage } from "./node-files.ts";

/**
 * Makes the image whose container holds a pod's namespaces, as an archive that container runtimes load. Its program only waits:
 * pulling one from a registry would take a connection and longer than all of it.
 */
export function makePauseImage(): Buffer {
  const layer = writeTar([{ name: "pause", content: waitingProgram(), mode: 0o755 }]);
  const digest = createHash("sha256").update(layer).digest("hex");
  const config = {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: { Entrypoint: ["/pause"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  };
  const manifest = [{ Config: "config.json", RepoTags: [pauseImage], Layers: ["layer.tar"] }];
  return writeTar([
    { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
    { name: "config.json", content: Buffer.from(JSON.stringify(config)) },
    { name: "layer.tar", content: layer },
  ]);
}

/** Where the program is loaded in memory. */
const base = 0x400000;
const headersSize = 64 + 56;

/** The instructions: system calls that wait for a signal, for ever. */
const instructions: Readonly<Record<string, { readonly machine: number; readonly code: string }>> = {
  // mov eax, 34; syscall; jmp to the first
  x64: { machine: 62, code: "b8220000000f05ebf7" },
  // ppoll(0, 0, 0, 0): mov x0..x3, 0; mov x8, 73; svc 0; b to the first
  arm64: { machine: 183, code: "000080d2010080d2020080d2030080d2280980d2010000d4faffff17" },
};

/** An executable of one segment, in the format ELF. */
function waitingProgram(): Buffer {
  const found = instructions[process.arch];
  if (!found) throw new Error(`nodes run on x64 and arm64, not on ${process.arch}`);
  const code = Buffer.from(found.code, "hex");
  const size = headersSize + code.length;
  const headers = Buffer.alloc(headersSize);
  headers.write("7f454c46020101", "hex");
  // Fields of 16, 32 and 64 bits in ascending order: each write only covers zeros of the ones before it.
  const fields = { 16: 2, 18: found.machine, 20: 1, 24: base + headersSize, 32: 64, 52: 64, 54: 56, 56: 1 };
  // The only segment: readable, executable.
  const segment = { 64: 1, 68: 5, 80: base, 88: base, 96: size, 104: size, 112: 0x1000 };
  for (const [offset, value] of Object.entries({ ...fields, ...segment }))
    headers.writeUInt32LE(value, Number(offset));
  return Buffer.concat([headers, code]);
}

interface TarFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode?: number;
}

function writeTar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content, mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    const octal = (value: number, length: number): string => `${value.toString(8).padStart(length, "0")}\0`;
    header.write(name, 0);
    header.write(octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(content.length, 11) + octal(0, 11), 100);
    header.write("        0", 148);
    header.write("ustar\u000000", 257);
    const checksum = header.reduce((sum, byte) => sum + byte, 0);
    header.write(`${octal(checksum, 6)} `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
