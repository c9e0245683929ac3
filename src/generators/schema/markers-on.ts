import type { LeadingComments, Module } from "../loader/index.ts";
import type { Marker } from "../markers/collect.ts";
import { warnOfLostMarkers } from "../markers/lost-markers.ts";
import { tagMarkers } from "../markers/tag-markers.ts";
import type { SchemaSources } from "./environment.ts";

/** The markers of a type or field, including those that are written as JSDoc tags. */
export function markersOn(
  comments: LeadingComments,
  target: "type" | "field",
  module: Module,
  sources: SchemaSources,
): readonly Marker[] {
  const written = sources.markersOf(module).on(comments);
  const tags = tagMarkers(comments, target, module, sources.log);
  if (tags.length === 0) return written;
  const all = [...written, ...tags];
  warnOfLostMarkers(all, sources.log);
  return all;
}
