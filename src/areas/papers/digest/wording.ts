import wordingFile from '../../../../data/paper-wording.json' with { type: 'json' };
import { spell } from '../../../core/patterns.ts';

const { sentences } = wordingFile;

/** What must precede a sentence for a reader to follow it. */
export type Needs = 'nothing' | 'a presentation' | 'the sentence before';

/** The rhetorical role of a sentence of an abstract. */
export interface Wording {
  /** The sentence without an opening, before "we" or "this paper", that refers back or is empty. */
  text: string;
  /** Says what the paper does. */
  presents: boolean;
  /** Says so in the passive, without an author. */
  presentsPassively: boolean;
  /** Says what the paper finds. */
  finds: boolean;
  /** Says why the subject matters, as any paper on it could. */
  isBackground: boolean;
  /** Says what the findings may be useful for. */
  isOutlook: boolean;
  /** Says something about the subject, not only about code, data or what follows. */
  isInformative: boolean;
  needs: Needs;
  /** Does not open with a reference back, though it may contain one later. */
  opensAlone: boolean;
}

const MIN_WORDS = 6;

const ASIDE = patternOf('aside', 'i');
const ANNOUNCES = patternOf('announces', 'i');
const PRESENTS = patternOf('presents');
const PRESENTS_PASSIVELY = patternOf('presentsPassively');
const FINDS = patternOf('finds');
const BACKGROUND = patternOf('background', 'i');
const OUTLOOK = patternOf('outlook', 'i');
const LEAD_IN = patternOf('leadIn');
const DEPENDS_BY_OPENING = patternOf('dependsByOpening');
const DEPENDS_BY_PRONOUN = patternOf('dependsByPronoun');
const POINTS_BACK = patternOf('pointsBack');
const CONTINUES = patternOf('continues');

/** See data/paper-wording.json. */
function patternOf(name: Exclude<keyof typeof sentences, 'parts'>, flags = ''): RegExp {
  return new RegExp(spell(sentences[name], sentences.parts), flags);
}

/** Classifies a sentence in English, the language of the abstracts. */
export function readWording(sentence: string): Wording {
  const text = dropLeadIn(sentence);
  return {
    text,
    presents: PRESENTS.test(text) || PRESENTS_PASSIVELY.test(text),
    presentsPassively: !PRESENTS.test(text) && PRESENTS_PASSIVELY.test(text),
    finds: FINDS.test(text),
    isBackground: BACKGROUND.test(text),
    isOutlook: OUTLOOK.test(text),
    isInformative:
      text.split(/\s+/).length >= MIN_WORDS && !ASIDE.test(text) && !ANNOUNCES.test(text),
    ...readNeeds(text),
  };
}

function dropLeadIn(sentence: string): string {
  const rest = sentence.replace(LEAD_IN, '').replace(/^Here (?=we\b)/, '');
  return rest === sentence ? sentence : rest.charAt(0).toUpperCase() + rest.slice(1);
}

function readNeeds(text: string): Pick<Wording, 'needs' | 'opensAlone'> {
  const depends =
    DEPENDS_BY_OPENING.test(text) || DEPENDS_BY_PRONOUN.test(text) || text.endsWith('?');
  const continues = CONTINUES.test(text);
  const opensAlone = !depends && !continues;
  if (depends || POINTS_BACK.test(text)) return { needs: 'the sentence before', opensAlone };
  return { needs: continues ? 'a presentation' : 'nothing', opensAlone };
}
