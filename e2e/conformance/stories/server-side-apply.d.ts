import { type Story } from "../story.ts";
export declare const serverSideApply: readonly Story[];
