import { findBinaries } from "./control-plane-binaries.ts";
import { findCollector } from "./opentelemetry/collector.ts";

/** Builds the real control plane and OpenTelemetry's collector into the cache, so that `npm run lab -- real` finds them. */
const binaries = findBinaries();
console.log("folder" in binaries ? `control plane: ${binaries.folder}` : `left out: ${binaries.missing}`);
const collector = findCollector();
console.log("program" in collector ? `collector: ${collector.program}` : `left out: ${collector.missing}`);
