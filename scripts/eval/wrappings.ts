/** Frames around a question, as people and agents write them; `%` stands for the question. */
export const FRAMES: Readonly<Record<'train' | 'test', readonly string[]>> = {
  train: [
    'I am helping a researcher who is preparing a literature review. Could you please find papers about the following: %? Thank you very much.',
    'Hello! I am a PhD student in economics and my supervisor asked me to read up on a subject that is new to me. I would like to know %. Please return only the most relevant results.',
    'Our desk has a meeting with a client on Friday and we need some background reading, so could you look for research on %?',
    'You are a careful research assistant. Context: the user works at a bank. Question: %',
    'Hi there, hope you are well. Do you know of any studies that deal with %? I need them for my thesis.',
    'I was wondering whether there is anything on %. Any pointers would be very welcome, thanks in advance!',
    'My manager wants me to write a short memo by tomorrow. Please search the database for articles on %. If there are several, list the best ones first.',
    'We are two analysts at a small fund and we are trying to understand one thing: %',
    'Could you help me out? A reviewer asked us to discuss prior work on one issue, which is: %',
    "Hey, quick one before my call: %? Anything peer reviewed is fine, don't worry about the format.",
    'Context: I am an engineer who recently moved to a trading team. Goal: understand the literature. Request: %. Please be thorough, but keep the answer brief.',
    'Dear assistant, I have been asked to prepare slides for our risk committee. For the second section I need sources about the following. %. Kind regards, Anna',
    'System: use the paper tool. User: I remember reading something a while ago and cannot find it any more. It was about this: % Do you know which paper that was?',
    '% -- this is for a blog post that I am writing, so a recent reference would be ideal. Thanks!',
    'I already looked on the web without luck. What I am after is the following: %. Can you check whether your library has it?',
    'For my own education, and with no hurry at all, I would love to read about this: %',
    'Step 1 of my plan is to collect evidence. Find studies concerning %. Step 2 will be to compare them.',
    'Our client, a pension fund, sent us this question by e-mail: "%". We would like to reply with one or two citations.',
    'As an AI agent working for a research department I need to answer this question with citations: %',
    'Please search for: %. If nothing fits, say so. If something fits, give me the title and a one-sentence summary.',
  ],
  test: [
    'As part of a project at my university I have to summarise what is known on one question. The question is "%". Could you point me to the papers that answer it best?',
    'Good morning. A colleague of mine asked me something that I could not answer, and I promised to look it up. Can you help me find academic work on %? It would save my day.',
    'The user is a portfolio manager and wants a quick overview. Find relevant papers on %. Answer with the ids only.',
    "I'd be grateful if you could recommend a few good papers about % that I could cite in my report.",
    'Sorry to bother you with this, I know that you are busy. What I need is literature on %. Thanks a lot for your help!',
    'Task: literature search. Topic: %. Audience: practitioners. Format: a short list.',
    'My professor mentioned this in passing during a lecture and I did not catch the author: %. Which paper might he have meant?',
    'I run a small newsletter and one of my readers wrote to me. She asks: % I would be happy to send her a link.',
    'Act as a librarian. The patron says: "%" Retrieve what fits best and explain in a line why.',
    'Sorry for the long message! I spent the weekend reading about this and got lost. In short, I would like to find out: %? Many thanks in advance for your patience.',
    'We have to document the methodology of a model for the auditors, and they want references. The point in question is %. Please list the three most relevant sources.',
    '% (asked on behalf of a colleague, who needs it by noon)',
    'Hello there. Before I implement anything I want to know what others have done, so here is my question: %. Cheers, Tom',
    'Use paper_search to look for the following, then read the best hit: %',
  ],
};

/** Exclusions of a subject, as they are appended to a question; `%` stands for the subject. */
export const EXCLUSIONS: Readonly<Record<'train' | 'test', readonly string[]>> = {
  train: [', not about %', ', excluding %', ' but not %', ', except for %', ', other than %'],
  test: [', nothing on %', ' (excluding %)', ', but no papers about %', ', leaving out %'],
};
