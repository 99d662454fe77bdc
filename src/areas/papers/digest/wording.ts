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

/** Says where data or code are, or is about the publication itself. */
const ASIDE =
  /\b(?:code|data|datasets?|supplementary|software|replication|package|materials?|implementation)\b[^.]*\b(?:(?:publicly|freely|openly)? ?available (?:at|on|from|via|upon|under|in)|released|open-sourced|can be found)\b|https?:\/\/|www\.|github|\baccepted\b[^.]*\b(?:at|to|for|in|by)\b|\bto appear in\b|\b(?:paper|article|note|work) (?:is|are) (?:organi[sz]ed|structured)\b|\bJEL\b|\bkey ?words?\b|^\W*appl\b/i;
/** Merely announces what follows. */
const ANNOUNCES =
  /(?:^.{0,70}|\b(?:present|report|document|provide|offer|establish|make|prove|obtain|identify|find|yield)s? )\b(?:\w+ ){0,3}(?:findings|results|contributions|facts|insights|questions|hypotheses|conclusions)(?: emerge| stand out| follow)?[.:]$/i;

const PAPER =
  '(?:paper|study|article|work|research|thesis|survey|review|note|chapter|report|essay|monograph|tutorial|dissertation|letter|manuscript|investigation)';
const AUTHORS = `(?:[Ww]e|I|[Tt]his (?:[\\w-]+ ){0,2}${PAPER}|[Tt]he (?:present |current )?(?:paper|study|article|thesis|authors?)|[Oo]ur (?:paper|study|work|article))`;
const DOES =
  '(?:propos|introduc|develop|present|deriv|stud(?:y|ies)|investigat|examin|analy[sz]|establish|construct|estimat|characteri[sz]|provid|obtain|design|buil[dt]|test|evaluat|compar|extend|identif|formulat|address|explor|offer|conduct|appl(?:y|ies)|model|solv|consider|creat|describ|review|survey|revisit|refin|generali[sz]|us(?:e|es|ing)\\b|employ|adapt|implement|bridg|unif|combin|integrat|leverag|contribut|discuss|calibrat|assess|quantif|measur|summari[sz]|consolidat|aim|seek|attempt|focus|devot|deal|wish|set out|tackl|approach|connect|represent|align|take)';
const FINDS_VERB =
  '(?:show|find|prove|demonstrat|document|argue|reveal|conclude|confirm|observe|refut|uncover|report)';

const PRESENTS = new RegExp(
  `^[A-Z][\\w-]+(?: [A-Z][\\w-]+){0,2} is an? [^.]{0,60}\\b(?:library|package|framework|benchmark|dataset|toolkit|platform|simulator|autoencoder|algorithm)\\b|\\b${AUTHORS}(?:,? (?:\\w+ly|also|then|first|further|here|thus|is|are|and|to))*,? ${DOES}`,
);
/** The same in the passive, which may also refer to others' work. */
const PRESENTS_PASSIVELY =
  /\b(?:is|are) (?:\w+ly )?(?:proposed|introduced|developed|presented|derived|studied|investigated|examined|analy[sz]ed|constructed|devised)\b/;
const FINDS = new RegExp(
  `\\b${AUTHORS}(?:,? (?:\\w+ly|also|then|first|further|here|thus|can|and))*,? ${FINDS_VERB}|\\b(?:[Rr]esults?|[Ff]indings|[Ee]vidence|[Ee]xperiments?|[Ss]imulations?|[Aa]nalys[ie]s|[Ee]xamples) (?:\\w+ ){0,4}(?:show|indicate|suggest|reveal|demonstrate|confirm|illustrate|highlight)|\\b[Ii]t is (?:shown|proved|proven|found|demonstrated)\\b|\\b(?:outperforms?|improves?|reduces?|achieves?|exceeds?)\\b`,
);
const BACKGROUND =
  /\b(?:recent years|has (?:become|emerged|attracted|received|gained)|have (?:become|emerged|attracted|received|gained|been widely)|(?:is|are|remains?) (?:a |an |one of )?(?:\w+ )?(?:crucial|essential|fundamental|central|critical|challenging|important|key|vital|widely|increasingly|difficult|poorly|largely)|play(?:s)? an? \w+ role|traditional(?:ly)?|existing (?:methods|approaches|models|studies|work|literature)|little is known)\b/i;
const OUTLOOK =
  /\b(?:implications? for|(?:further|future) (?:research|work)|pav(?:es?|ing) the way|open(?:s|ing)? (?:\w+ )?avenues?|underscores?|highlight(?:s|ing)? (?:the|its) (?:\w+ )?(?:potential|importance|need|value|role)|practical tool|valuable insights?)\b/i;

/** An opening that depends on the sentence before, or is empty; the rest stands alone. */
const LEAD_IN = new RegExp(
  `^(?:However|Moreover|Furthermore|Additionally|In addition|Therefore|Thus|Hence|Consequently|Accordingly|As a result|As such|In turn|In response|Finally|Lastly|Overall|First(?:ly)?|Second(?:ly)?|Third(?:ly)?|Next|Then|Specifically|Concretely|In particular|Here|Instead|To (?:this|that) end|To (?:address|overcome|solve|tackle|fill|bridge|close|mitigate|resolve|remedy|meet|answer|do) (?:this|these|that|those|it|them|such|so)\\b[^,;:]{0,80}|(?:Motivated by|In light of|Given|Based on|Building (?:up)?on|With|For|In) (?:this|these|that|those)\\b[^,;:]{0,60}),\\s+(?=(?:(?:to|by|using|through|as|in|with) [^.;]{3,100}, )?(?:we|I|our|this ${PAPER}|the (?:paper|study|article|authors?))\\b)`,
);

/** Opens with a reference back, or is a list item. */
const DEPENDS_BY_OPENING = new RegExp(
  `^(?:However|But|And|Or|So|Yet|Moreover|Furthermore|Additionally|Also|In addition|Therefore|Thus|Hence|Consequently|Accordingly|As a (?:result|consequence)|As such|Conversely|By (?:contrast|comparison)|In (?:contrast|comparison)|On the (?:one|other|contrary)|Instead|Nevertheless|Nonetheless|Still|Then|Next|Finally|Lastly|Second(?:ly)?|Third(?:ly)?|Fourth(?:ly)?|First(?:ly)?|One|Another|Others?|Specifically|Concretely|In particular|In turn|In response|More (?:precisely|specifically|generally)|Namely|That is|In other words|Similarly|Likewise|Rather|Indeed|For (?:example|instance)|As (?:an )?examples?|To (?:this|that) end|To further|At the same time|Meanwhile|Further|They|He|She|Its|Their|Theirs|These|Those|Such|Both|Each|Either|Neither|None of|Here|That|The (?:latter|former|first|second|third|same|resulting|remaining|other)|This(?! (?:[\\w-]+ ){0,2}${PAPER}\\b)|It(?! (?:is|was|has been|can be) (?:shown|argued|proved|proven|found|demonstrated|established))|\\(?(?:\\d{1,2}|[ivx]{1,4}|[a-e])[).])(?=[\\s,:])`,
);
/** An adverbial that contains or precedes a pronoun: "By doing so", "Unlike others, they". */
const DEPENDS_BY_PRONOUN =
  /^(?:(?:By|Using|With|Based on|Through|From|In|Under|For|Given|Despite|Beyond|Unlike|Applying|Leveraging|Building (?:up)?on|Motivated by|Combining|Extending|Making|Due to|Because of|Among|As|After|When|While|Within|On|At|Across|Throughout|To \w+) (?:this|these|that|those|it|its|their|them|such|both|each|doing so)\b(?! (?:paper|study|article|work|research|thesis|survey|review|note)\b)|(?!While|Although|Though|If|When|Since|Because|As\b|Whereas)[^,]{1,90}, (?:it|they|its|their)\b)/;
/** Refers back early on, or later to something that only another sentence can have named. */
const POINTS_BACK =
  /^.{0,130}\b(?:this|these) (?!(?:[\w-]+ ){0,2}(?:paper|study|article|work|research|thesis|survey|review|note|chapter|report)\b)[a-z]|\b(?:this|these|such|those) (?:gaps?|challenges?|problems?|issues?|limitations?|drawbacks?|shortcomings?|puzzle|question|concerns?|line of|context|end|observations?|phenomen(?:on|a)|framework|approach|methods?|models?|results?|settings?|findings|criterion|relationships?|effects?|assumptions?|conditions?|insights?|mechanisms?|bias(?:es)?|trade-?offs?)\b|\b(?:an analogous|such an?) |\bthe same \w+ (?:is|are)\b|^[^,]{0,60}\b(?:[Ww]e|[Pp]aper|[Ss]tudy) (?:\w+ly )?(?!show|find|prove|argue)\w+ (?:this|it|them|these|those)\b/;
/** Mentions the paper's model, results or next steps: clear after a presenting sentence. */
const CONTINUES =
  /^(?:Our|Results|Findings|Experiments|Simulations|(?:Numerical|Empirical|Extensive|Experimental|Theoretical|Simulation|Backtest(?:ing)?|Out-of-sample|Ablation|Comprehensive|Additional|Preliminary|Key|Main)[a-z]* \w+|The (?:\w+ )?(?:proposed|results?|findings?|model|method|framework|approach|algorithm|procedure|scheme|strategy|methodology|technique|system|architecture|analys[ie]s|construction|formulation|solution|estimators?|datasets?|benchmark|pipeline|protocol|mechanism|tests?|metrics?|index|indicators?|problem|theory|equation|experiments|evidence)(?! (?:of|for|to|by which)\b)|Notably|Importantly|Interestingly|Remarkably|Crucially|Overall|Surprisingly|Empirically|Numerically|Results?:|Conclusions?:|Methods?:|[^,]{1,80}, (?:our|the proposed)|(?:(?:W|[^,]{1,60}, w)e|I) (?:also|then|further|additionally|finally|next|therefore|thus|subsequently|moreover)|(?:W|[^,]{1,60}, w)e \w+ (?:the|our) (?:proposed )?(?:model|method|framework|approach|algorithm|results?))\b/;

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
