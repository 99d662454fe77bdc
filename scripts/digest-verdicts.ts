import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { splitSentences } from '../src/areas/papers/digest/sentences.ts';
import { readWording } from '../src/areas/papers/digest/wording.ts';

const judgement = z.enum(['good', 'hangs', 'off']);
/** A person's judgements of the summaries and topics of one paper; see data/eval/README.md. */
const verdictSchema = z.object({
  id: z.string(),
  right: z.array(z.string()),
  wrong: z.array(z.string()),
  /** By the indices of their sentences in the abstract, counted from 0: "0 2 5". */
  summaries: z.record(z.string(), judgement),
  /** Result of the rules that were in use before the samples were drawn. */
  earlier: z.object({ summary: judgement, tags: z.array(z.string()) }),
});

export interface JudgedSample {
  name: string;
  papers: readonly z.infer<typeof verdictSchema>[];
}

export interface Precision {
  good: number;
  summaries: number;
  /** Selections of sentences that were not judged; they count as not good. */
  unjudgedSummaries: number;
  right: number;
  topics: number;
  /** Topics that were not judged for their paper; they count as wrong. */
  unjudgedTopics: number;
}

export function readJudgedSamples(root: string): JudgedSample[] {
  const path = join(root, 'data', 'eval', 'paper-digests.json');
  const schema = z.object({
    samples: z.array(z.object({ name: z.string(), papers: z.array(verdictSchema) })),
  });
  return schema.parse(JSON.parse(readFileSync(path, 'utf8'))).samples;
}

/** The indices in `abstract` of the sentences of `summary`. */
export function placesOf(summary: string, abstract: string): string {
  return splitSentences(abstract)
    .flatMap((sentence, place) =>
      summary.includes(readWording(sentence).text) || summary.includes(sentence) ? [place] : [],
    )
    .join(' ');
}

/** `given` is the result of the rules for each paper of `sample`, in its order. */
export function measure(
  sample: JudgedSample,
  given: readonly { judgement: string | undefined; tags: readonly string[] }[],
): Precision {
  const pairs = sample.papers.flatMap(({ right, wrong }, index) =>
    (given[index]?.tags ?? []).map((tag) => ({
      isRight: right.includes(tag),
      isJudged: right.includes(tag) || wrong.includes(tag),
    })),
  );
  return {
    good: given.filter(({ judgement }) => judgement === 'good').length,
    summaries: given.length,
    unjudgedSummaries: given.filter(({ judgement }) => judgement === undefined).length,
    right: pairs.filter(({ isRight }) => isRight).length,
    topics: pairs.length,
    unjudgedTopics: pairs.filter(({ isJudged }) => !isJudged).length,
  };
}
