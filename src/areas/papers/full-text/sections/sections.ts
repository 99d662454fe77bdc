import * as z from 'zod';

/** Increment whenever the same document yields different sections. */
export const PARSER_VERSION = 4;

/** Most sections of a paper, and most UTF-16 code units of one: anything longer is not a paper. */
const MAX_SECTIONS = 500;
const MAX_SECTION = 4_000_000;

export const sectionType = z.enum([
  'abstract',
  'introduction',
  'related_work',
  'background',
  'data',
  'methods',
  'results',
  'discussion',
  'conclusion',
  'acknowledgements',
  'appendix',
  'references',
  'note',
  'other',
]);
export type SectionType = z.infer<typeof sectionType>;

/** One section of a paper, as stored. */
const textSection = z.object({
  /** `abstract`, `references`, or `s<two digits>-<slug of the title>`. */
  key: z.string().max(100),
  type: sectionType,
  title: z.string().max(1_000),
  /** Markdown. */
  content: z.string().max(MAX_SECTION),
});

/** The sections of a document in order, or why it has none. */
export const parseResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), sections: z.array(textSection).max(MAX_SECTIONS) }),
  z.object({
    ok: z.literal(false),
    reason: z.enum(['failed conversion', 'too little text', 'not a paper']),
  }),
]);

export type TextSection = z.infer<typeof textSection>;
export type ParseResult = z.infer<typeof parseResult>;
